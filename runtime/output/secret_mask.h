// SecretMask: replaces known secrets in output by asterisks, byte for byte, so that offsets and
// lines stay where they are. It knows a value as it is, and each line of it, also with colours in
// it; not encoded, and not cut in two by other output. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

// Shorter lines are no secrets, and would make output unreadable.
inline constexpr std::size_t kMinMaskedBytes = 4;
inline constexpr std::size_t kMaxMaskedBytes = 4096;  // of a longer line, only so many

class SecretMask {
 public:
  SecretMask() = default;
  explicit SecretMask(const std::vector<std::string>& values);

  bool empty() const { return lines_.empty(); }
  // Masks the secrets in `bytes`. Returns how many bytes at its end may be the beginning of one.
  std::size_t apply(std::string* bytes) const;

 private:
  std::size_t apply_shown(std::string* bytes) const;

  std::vector<std::string> lines_;
};

}  // namespace gibbous
