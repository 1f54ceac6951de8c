/* structures.c - a search tree, a hash table, a walk over a graph */
#include "tests/prediction/touch.h"

#define LOOKUPS 4 /* for each key that was put in */

/* ----------------------------------------------------------- binary tree -- */

struct node {
    uint64_t key;
    uint32_t left, right; /* 0 = none */
};

static uint32_t *find_place(struct node *nodes, uint32_t *root, uint64_t key)
{
    uint32_t *place = root;
    while (AT(*place) != 0) {
        struct node *node = &nodes[*place];
        if (AT(node->key) == key)
            return place;
        place = key < node->key ? &node->left : &node->right;
    }
    return place;
}

void run_tree(uint64_t size)
{
    struct node *nodes = make_room(size + 1, sizeof *nodes);
    uint32_t *root = make_room(1, sizeof *root);
    for (uint32_t i = 1; i <= size; i++) {
        uint64_t key = draw(UINT64_C(1) << 40);
        uint32_t *place = find_place(nodes, root, key);
        AT(nodes[i].key) = key;
        if (*place == 0)
            AT(*place) = i;
    }
    for (uint64_t i = 0; i < size * LOOKUPS; i++)
        find_place(nodes, root, nodes[1 + draw(size)].key);
}

/* ------------------------------------------------------------ hash table -- */

/* Words of a text whose frequencies fall as 1/rank, about, are counted. */
void run_hash(uint64_t size)
{
    struct entry {
        uint64_t key, count;
    } *table = make_room(2 * size, sizeof *table);
    for (uint64_t i = 0; i < size * 2 * LOOKUPS; i++) {
        uint64_t word = 1 + draw(1 + draw(size));
        uint64_t slot =
            (word * UINT64_C(0x9e3779b97f4a7c15) >> 20) % (2 * size);
        while (AT(table[slot].key) != word && table[slot].key != 0)
            slot = (slot + 1) % (2 * size);
        AT(table[slot].key) = word;
        AT(table[slot].count)++;
    }
}

/* ----------------------------------------------------------------- graph -- */

#define DEGREE 4

/* Breadth first over a graph whose edges lead to places nearby, mostly. */
void run_search(uint64_t size)
{
    uint32_t *edges = make_room(size * DEGREE, sizeof *edges);
    uint32_t *queue = make_room(size, sizeof *queue);
    uint8_t *seen = make_room(size, sizeof *seen);
    for (uint64_t i = 0; i < size * DEGREE; i++) {
        uint64_t near = (i / DEGREE + draw(64)) % size;
        edges[i] = (uint32_t)(draw(8) == 0 ? draw(size) : near);
    }
    uint64_t head = 0, tail = 0;
    for (uint32_t start = 0; start < size; start++) {
        if (AT(seen[start]) != 0)
            continue;
        AT(seen[start]) = 1;
        AT(queue[tail++]) = start;
        while (head < tail) {
            uint32_t *edge = &edges[(uint64_t)AT(queue[head++]) * DEGREE];
            for (unsigned i = 0; i < DEGREE; i++) {
                uint32_t to = AT(edge[i]);
                if (AT(seen[to]) != 0)
                    continue;
                AT(seen[to]) = 1;
                AT(queue[tail++]) = to;
            }
        }
    }
}
