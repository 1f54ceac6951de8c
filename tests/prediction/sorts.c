/* sorts.c - three ways to sort numbers that come in no order */
#include "tests/prediction/touch.h"

#define FEW 12 /* insertion sort from here down */

static int64_t *make_numbers(uint64_t size)
{
    int64_t *numbers = make_room(size, sizeof *numbers);
    for (uint64_t i = 0; i < size; i++)
        numbers[i] = (int64_t)draw(UINT64_C(1) << 40);
    return numbers;
}

static void insert_all(int64_t *a, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        int64_t number = AT(a[i]);
        uint64_t j = i;
        for (; j > 0 && AT(a[j - 1]) > number; j--)
            AT(a[j]) = AT(a[j - 1]);
        AT(a[j]) = number;
    }
}

static void swap(int64_t *left, int64_t *right)
{
    int64_t number = AT(*left);
    AT(*left) = AT(*right);
    AT(*right) = number;
}

/* Hoare's partition around the middle element. */
static void quicksort(int64_t *a, uint64_t count)
{
    while (count > FEW) {
        int64_t pivot = AT(a[count / 2]);
        int64_t low = -1, high = (int64_t)count;
        for (;;) {
            do
                low++;
            while (AT(a[low]) < pivot);
            do
                high--;
            while (AT(a[high]) > pivot);
            if (low >= high)
                break;
            swap(&a[low], &a[high]);
        }
        quicksort(a, (uint64_t)high + 1);
        a += high + 1;
        count -= (uint64_t)high + 1;
    }
    insert_all(a, count);
}

void run_quicksort(uint64_t size)
{
    quicksort(make_numbers(size), size);
}

static void merge(const int64_t *from, int64_t *to, uint64_t half,
                  uint64_t count)
{
    uint64_t left = 0, right = half;
    for (uint64_t i = 0; i < count; i++) {
        if (right == count ||
            (left < half && AT(from[left]) <= AT(from[right])))
            AT(to[i]) = AT(from[left++]);
        else
            AT(to[i]) = AT(from[right++]);
    }
}

static void mergesort(int64_t *a, int64_t *spare, uint64_t count)
{
    if (count <= FEW) {
        insert_all(a, count);
        return;
    }
    uint64_t half = count / 2;
    mergesort(a, spare, half);
    mergesort(a + half, spare + half, count - half);
    merge(a, spare, half, count);
    for (uint64_t i = 0; i < count; i++)
        AT(a[i]) = AT(spare[i]);
}

void run_mergesort(uint64_t size)
{
    int64_t *spare = make_room(size, sizeof *spare);
    mergesort(make_numbers(size), spare, size);
}

static void sink(int64_t *a, uint64_t at, uint64_t count)
{
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && AT(a[child]) < AT(a[child + 1]))
            child++;
        if (AT(a[at]) >= AT(a[child]))
            return;
        swap(&a[at], &a[child]);
    }
}

void run_heapsort(uint64_t size)
{
    int64_t *a = make_numbers(size);
    for (uint64_t i = size / 2; i-- > 0;)
        sink(a, i, size);
    for (uint64_t i = size; i-- > 1;) {
        swap(&a[0], &a[i]);
        sink(a, 0, i);
    }
}
