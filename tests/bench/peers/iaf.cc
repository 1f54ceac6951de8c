// iaf.cc - a file of numbers through the library of Increment-and-Freeze
//
//     iaf whole|bounded FILE
//
// FILE has 64-bit numbers of blocks; of 2^32 blocks or more only the low half
// of a number counts where the library is built for 32 bits.  Prints the hits
// of caches of 1, 2, 4, ... blocks as lines `blocks hits`.  The library is
// compiled with this file by tests/bench/peers.pl and is no part of this tree.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "bounded_iaf.h"
#include "increment_and_freeze.h"

static int measure(CacheSim &simulator, std::FILE *file)
{
    std::vector<uint64_t> blocks(1 << 16);
    size_t count;
    while ((count = std::fread(blocks.data(), sizeof blocks[0], blocks.size(),
                               file)) > 0) {
        for (size_t i = 0; i < count; i++)
            simulator.memory_access(static_cast<req_count_t>(blocks[i]));
    }
    const auto hits = simulator.get_success_function();
    for (size_t size = 1; size < hits.size(); size *= 2)
        std::printf("%zu %llu\n", size,
                    static_cast<unsigned long long>(hits[size]));
    return std::ferror(file) != 0;
}

int main(int argc, char **argv)
{
    std::FILE *file = argc == 3 ? std::fopen(argv[2], "rb") : nullptr;
    if (file == nullptr) {
        std::fprintf(stderr, "usage: iaf whole|bounded FILE\n");
        return 2;
    }
    if (std::strcmp(argv[1], "bounded") == 0) {
        BoundedIAF simulator;
        return measure(simulator, file);
    }
    IncrementAndFreeze simulator;
    return measure(simulator, file);
}
