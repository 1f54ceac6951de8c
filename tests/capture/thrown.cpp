// thrown.cpp - exceptions of C++: prints where `array` lies, and its stores
#include <cstdint>
#include <cstdio>
#include <stdexcept>

static volatile std::uint64_t array[64];

struct at_end {
    int index;
    ~at_end()
    {
        array[index] = 2;
    }
};

static void descend(int depth)
{
    at_end end{depth};
    array[depth] = 1;
    if (depth == 0)
        throw std::runtime_error("deep enough");
    descend(depth - 1);
}

int main()
{
    for (int i = 0; i < 100; i++) {
        try {
            descend(9);
        } catch (const std::exception &) {
            array[20] = 3;
        }
    }
    std::printf("%08lx %08lx 2100\n", (unsigned long)(std::uintptr_t)array,
                (unsigned long)(std::uintptr_t)(array + 64));
}
