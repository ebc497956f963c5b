// The count keeps one 8-bit counter per lane and empties them before they can overflow, so that the
// inner loop is compare-and-subtract over whole vectors on every machine.
#include "runtime/output/newlines.h"

#include <algorithm>
#include <cstring>

namespace gibbous {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kUnrolled = 4;
constexpr std::size_t kStep = kLanes * kUnrolled;
// The sum of all counters and up to kUnrolled - 1 more vectors must fit a lane of 8 bits.
constexpr std::size_t kMaxSteps = 63;

using Vector = std::uint8_t __attribute__((vector_size(kLanes)));

Vector load(const char* bytes) {
  Vector vector;
  std::memcpy(&vector, bytes, sizeof vector);
  return vector;
}

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::uint64_t kOnes = 0x0101010101010101U;

std::uint64_t sum(Vector vector) {
  constexpr std::uint64_t kEvenBytes = 0x00FF00FF00FF00FFU;
  std::uint64_t words[kLanes / kWord];
  std::memcpy(words, &vector, sizeof words);
  std::uint64_t total = 0;
  for (const std::uint64_t word : words) {
    // Four 16-bit sums of at most 510 each; the multiplication adds them up in the top 16 bits.
    const std::uint64_t pairs = (word & kEvenBytes) + ((word >> 8U) & kEvenBytes);
    total += (pairs * 0x0001000100010001U) >> 48U;
  }
  return total;
}

// Returns the number of newlines in the first `size` bytes, at most a word.
std::uint64_t count_in_word(const char* bytes, std::size_t size) {
  constexpr std::uint64_t kLow7 = 0x7F * kOnes;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  word ^= '\n' * kOnes;  // a newline is now a zero byte; padding was zero before, so it is not
  const std::uint64_t is_zero = ~(((word & kLow7) + kLow7) | word | kLow7);
  return ((is_zero >> 7U) * kOnes) >> 56U;
}

}  // namespace

std::uint64_t count_newlines(const char* bytes, std::size_t size) {
  const Vector newline = Vector{} + static_cast<std::uint8_t>('\n');
  std::uint64_t total = 0;
  while (size >= kLanes) {
    const std::size_t steps = std::min(size / kStep, kMaxSteps);
    Vector a{}, b{}, c{}, d{};
    for (std::size_t i = 0; i < steps; ++i, bytes += kStep) {
      // A true comparison is a lane of all ones, which is -1.
      a -= static_cast<Vector>(load(bytes) == newline);
      b -= static_cast<Vector>(load(bytes + kLanes) == newline);
      c -= static_cast<Vector>(load(bytes + 2 * kLanes) == newline);
      d -= static_cast<Vector>(load(bytes + 3 * kLanes) == newline);
    }
    size -= steps * kStep;
    for (; size >= kLanes && size < kStep; size -= kLanes, bytes += kLanes) {
      a -= static_cast<Vector>(load(bytes) == newline);
    }
    total += sum(a + b + c + d);
  }
  for (; size >= kWord; size -= kWord, bytes += kWord) total += count_in_word(bytes, kWord);
  return total + count_in_word(bytes, size);
}

}  // namespace gibbous
