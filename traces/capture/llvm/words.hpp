// words.hpp - the words of references, for clang's pass
//
// stream.h and runtime/recorder.h say the same to C.
#ifndef MARGAY_TRACES_CAPTURE_LLVM_WORDS_HPP
#define MARGAY_TRACES_CAPTURE_LLVM_WORDS_HPP

#include <cstddef>
#include <cstdint>

namespace margay
{

// The most words of a piece; MARGAY_PIECE_WORDS of the runtime.
constexpr std::size_t piece_words = 32;

// The longest reference of one word.
constexpr std::uint64_t word_bytes = 64;

// The layout of a word.
constexpr unsigned bytes_shift = 56, kind_shift = 62;
constexpr std::uint64_t kind_write = 1, kind_control = 3;
constexpr std::uint64_t word_none =
    kind_control << kind_shift | std::uint64_t{1} << bytes_shift;

// The bits of a reference's word above its address.
constexpr std::uint64_t word_tag(std::uint64_t bytes, bool writes)
{
    return (bytes % word_bytes) << bytes_shift | (writes ? kind_write : 0)
                                                     << kind_shift;
}

} // namespace margay

#endif
