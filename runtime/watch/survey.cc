// Like runtime/output/newlines.cc, with one more question about each byte, which costs less here
// than a second look at all of them.
#include <algorithm>
#include <cstring>

#include "runtime/output/newlines.h"
#include "runtime/watch/line_block.h"

namespace gibbous {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kUnrolled = 2;
constexpr std::size_t kStep = kLanes * kUnrolled;
// The counters of a lane, added up, must fit 8 bits.
constexpr std::size_t kMaxSteps = 127;

using Vector = std::uint8_t __attribute__((vector_size(kLanes)));
using Signed = std::int8_t __attribute__((vector_size(kLanes)));

struct Tally {
  Vector newlines{};
  Vector odd{};

  void take(const char* bytes) {
    Vector vector;
    std::memcpy(&vector, bytes, sizeof vector);
    const auto newline = static_cast<Vector>(vector == '\n');
    newlines -= newline;  // a true comparison is -1
    // Bytes beyond ASCII are negative.
    Signed value;
    std::memcpy(&value, bytes, sizeof value);
    const auto low = static_cast<Vector>(value < ' ');
    const auto tab = static_cast<Vector>(vector == '\t');
    constexpr std::uint8_t kDelete = 0x7F;
    odd |= (low & ~(newline | tab)) | static_cast<Vector>(vector == kDelete);
  }
};

std::uint64_t sum(Vector vector) {
  std::uint64_t total = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) total += vector[lane];
  return total;
}

bool is_odd(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return (value < ' ' && byte != '\n' && byte != '\t') || value >= 0x7F;
}

}  // namespace

Survey survey(std::string_view bytes) {
  Survey result;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  while (left >= kStep) {
    const std::size_t steps = std::min(left / kStep, kMaxSteps);
    Tally one;
    Tally other;
    for (std::size_t step = 0; step < steps; ++step, at += kStep) {
      one.take(at);
      other.take(at + kLanes);
    }
    left -= steps * kStep;
    result.newlines += sum(one.newlines + other.newlines);
    result.plain = result.plain && sum(one.odd | other.odd) == 0;
  }
  result.newlines += count_newlines(at, left);
  result.plain = result.plain && std::none_of(at, at + left, is_odd);
  return result;
}

}  // namespace gibbous
