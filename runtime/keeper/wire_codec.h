// Writer and Reader: the parts of a message, by one description for both directions. A description
// gives each member of a message to the one or the other. The Writer fills in the length when it is
// done; the Reader believes nothing and fails at the first byte that is not right. Only for the
// wire*.cc.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/keeper/wire.h"

namespace gibbous::wire {

inline constexpr std::size_t kLengthOffset = 4;

class Writer {
 public:
  static constexpr bool kReads = false;
  Writer(Buffer& out, Type type, RunKey run) : out_(out) {
    out_.clear();
    numbers(kVersion, static_cast<std::uint16_t>(type), std::uint32_t{0}, run);
  }
  // Fills in the length.
  ~Writer() {
    const auto length = static_cast<std::uint32_t>(out_.size());
    std::memcpy(out_.data() + kLengthOffset, &length, sizeof length);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  template <typename... Number>
  void numbers(const Number&... each) {
    (number(each), ...);
  }
  template <typename... Bool>
  void flags(const Bool&... each) {
    (number(static_cast<std::uint8_t>(each)), ...);
  }
  template <typename Duration>
  void time(const Duration& value) {
    number(static_cast<std::int64_t>(value.count()));
  }
  // One of the values from 0 to `last`.
  template <typename Enum>
  void choice(const Enum& value, Enum) {
    number(static_cast<std::uint8_t>(value));
  }
  // At most `max` bytes of it.
  void text(std::string_view text, std::size_t max) {
    text = text.substr(0, max);
    number(static_cast<std::uint32_t>(text.size()));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    out_.insert(out_.end(), bytes, bytes + text.size());
  }
  // At most `max` of the items.
  template <typename T, typename Describe>
  void list(std::vector<T>& items, std::size_t max, Describe describe) {
    const std::size_t count = std::min(items.size(), max);
    number(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) describe(items[i]);
  }
  template <typename T, typename Describe>
  void optional(std::optional<T>& value, Describe describe) {
    flags(value.has_value());
    if (value) describe(*value);
  }
  void require(bool) {}

 private:
  template <typename T>
  void number(T value) {
    static_assert(std::is_integral_v<T>);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
    out_.insert(out_.end(), bytes, bytes + sizeof value);
  }

  Buffer& out_;
};

class Reader {
 public:
  static constexpr bool kReads = true;
  explicit Reader(Bytes rest) : rest_(rest) {}

  template <typename... Number>
  void numbers(Number&... each) {
    ((each = number<Number>()), ...);
  }
  template <typename... Bool>
  void flags(Bool&... each) {
    ((each = flag()), ...);
  }
  // A duration that is not negative and is short enough for arithmetic with clocks.
  template <typename Duration>
  void time(Duration& value) {
    constexpr std::int64_t kMaxDuration = std::int64_t{1} << 52;
    const auto count = number<std::int64_t>();
    require(count >= 0 && count <= kMaxDuration);
    value = Duration(good_ ? count : 0);
  }
  template <typename Enum>
  void choice(Enum& value, Enum last) {
    const auto read = number<std::uint8_t>();
    require(read <= static_cast<std::uint8_t>(last));
    value = good_ ? static_cast<Enum>(read) : Enum{};
  }
  void text(std::string& text, std::size_t max) {
    const auto size = number<std::uint32_t>();
    require(size <= max && size <= rest_.size());
    if (!good_) return;
    text.assign(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
  }
  template <typename T, typename Describe>
  void list(std::vector<T>& items, std::size_t max, Describe describe) {
    const auto count = number<std::uint32_t>();
    require(count <= max);
    for (std::uint32_t i = 0; good_ && i < count; ++i) describe(items.emplace_back());
  }
  template <typename T, typename Describe>
  void optional(std::optional<T>& value, Describe describe) {
    if (flag()) describe(value.emplace());
  }
  void require(bool condition) { good_ = good_ && condition; }
  Bytes take_rest() { return std::exchange(rest_, {}); }
  // The message was complete, and nothing followed.
  bool done() const { return good_ && rest_.empty(); }

 private:
  template <typename T>
  T number() {
    static_assert(std::is_integral_v<T>);
    T value{};
    require(rest_.size() >= sizeof value);
    if (!good_) return T{};
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }
  bool flag() {
    const auto value = number<std::uint8_t>();
    require(value <= 1);
    return value == 1;
  }

  Bytes rest_;
  bool good_ = true;
};

inline Status malformed(const std::string& what) {
  return Status::error("malformed_message", "malformed keeper message: " + what);
}

}  // namespace gibbous::wire
