// getrandom(2) for ids and for the keeper's mark.
#include "runtime/base/random_id.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

namespace gibbous {

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  while (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    // Only EINTR can happen for so few bytes. Nothing here is safe without random numbers.
    if (errno != EINTR) std::abort();
  }
  return bits;
}

std::string random_id() {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::uint64_t kLetters = sizeof kAlphabet - 1;
  constexpr unsigned kBitsPerChar = 6;
  std::string id;
  std::uint64_t bits = 0;
  for (unsigned left = 0; id.size() < kIdChars; bits >>= kBitsPerChar, --left) {
    if (left == 0) {
      bits = random_bits();
      left = 64 / kBitsPerChar;
    }
    const std::uint64_t letter = bits & ((1U << kBitsPerChar) - 1);
    if (letter < kLetters) id += kAlphabet[letter];  // else some would be more likely than others
  }
  return id;
}

}  // namespace gibbous
