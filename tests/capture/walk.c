/*
 * walk.c - a program whose references between two stores are known
 *
 * usage: walk [FILE]
 *
 * Between a store to `begin` and one to `end` it reads and writes elements of
 * all sizes, and nothing else in memory.  Afterwards it writes to FILE, in the
 * format lackey, what a trace has to hold from the one store to the other.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#define ELEMENTS 300

static volatile uint8_t bytes[ELEMENTS];
static volatile uint16_t shorts[ELEMENTS];
static volatile uint32_t words[ELEMENTS];
static volatile uint64_t longs[ELEMENTS];
static volatile uint64_t begin, end;

/* What is read is used: lackey may leave out what is not. */
static __attribute__((noinline)) uint32_t walk(void)
{
    uint32_t sum = 0;
    begin = 1;
    for (int i = 0; i < ELEMENTS; i++)
        sum += words[i];
    for (int i = ELEMENTS; i-- > 0;)
        longs[i] = 0;
    for (int i = 0; i < ELEMENTS; i += 7) {
        bytes[i] = 0;
        sum += shorts[i];
    }
    end = 1;
    return sum;
}

static void expect(FILE *file, char kind, volatile void *address, int size)
{
    fprintf(file, " %c %08" PRIxPTR ",%d\n", kind, (uintptr_t)address, size);
}

int main(int argument_count, char **arguments)
{
    uint32_t sum = walk();
    if (argument_count < 2)
        return sum != 0;
    FILE *file = fopen(arguments[1], "w");
    if (file == NULL || sum != 0)
        return 1;
    expect(file, 'S', &begin, 8);
    for (int i = 0; i < ELEMENTS; i++)
        expect(file, 'L', &words[i], 4);
    for (int i = ELEMENTS; i-- > 0;)
        expect(file, 'S', &longs[i], 8);
    for (int i = 0; i < ELEMENTS; i += 7) {
        expect(file, 'S', &bytes[i], 1);
        expect(file, 'L', &shorts[i], 2);
    }
    expect(file, 'S', &end, 8);
    return fclose(file) != 0;
}
