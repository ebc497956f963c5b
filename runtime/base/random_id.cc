// getrandom(2) for ids and for the keeper's mark.
#include "runtime/base/random_id.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

namespace gibbous {

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  while (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    // Only EINTR can happen for so few bytes; without random numbers nothing here is safe.
    if (errno != EINTR) std::abort();
  }
  return bits;
}

std::string random_id() {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  constexpr unsigned kBitsPerChar = 6;
  std::string id;
  while (id.size() < kIdChars) {
    std::uint64_t bits = random_bits();
    id.clear();
    for (std::size_t i = 0; i < kIdChars; ++i, bits >>= kBitsPerChar) {
      id += kAlphabet[bits & 63U];
    }
    if (id.front() == '-') id.clear();
  }
  return id;
}

}  // namespace gibbous
