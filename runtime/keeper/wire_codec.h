// Writes and reads the parts of a message: a Writer that fills in the length when it is done, and a
// Reader that fails at the first missing byte. Only for wire.cc and wire_replies.cc.
#pragma once

#include <chrono>
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
  Writer(Buffer& out, Type type, RunKey run) : out_(out) {
    out_.clear();
    put(kVersion);
    put(static_cast<std::uint16_t>(type));
    put(std::uint32_t{0});
    put(run);
  }
  // Fills in the length.
  ~Writer() {
    const auto length = static_cast<std::uint32_t>(out_.size());
    std::memcpy(out_.data() + kLengthOffset, &length, sizeof length);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  template <typename T>
  Writer& put(T value) {
    static_assert(std::is_integral_v<T>);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
    out_.insert(out_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  // Writes the size and the bytes, at most `max` of them.
  Writer& put_text(std::string_view text, std::size_t max) {
    text = text.substr(0, max);
    put(static_cast<std::uint32_t>(text.size()));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    out_.insert(out_.end(), bytes, bytes + text.size());
    return *this;
  }
  Writer& put(bool value) { return put(static_cast<std::uint8_t>(value)); }
  Writer& put(Millis value) { return put(static_cast<std::int64_t>(value.count())); }
  Writer& put(std::chrono::microseconds value) {
    return put(static_cast<std::int64_t>(value.count()));
  }

 private:
  Buffer& out_;
};

class Reader {
 public:
  explicit Reader(Bytes rest) : rest_(rest) {}

  template <typename T>
  T get() {
    static_assert(std::is_integral_v<T>);
    T value{};
    if (rest_.size() < sizeof value) {
      good_ = false;
      rest_ = {};
      return T{};
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }
  bool get_bool() {
    const auto value = get<std::uint8_t>();
    if (value > 1) good_ = false;
    return value == 1;
  }
  Millis get_millis() { return Millis(get_duration()); }
  std::chrono::microseconds get_micros() { return std::chrono::microseconds(get_duration()); }
  // Reads one of the values from 0 to `last`.
  template <typename Enum>
  Enum get_enum(Enum last) {
    const auto value = get<std::uint8_t>();
    if (value > static_cast<std::uint8_t>(last)) good_ = false;
    return good_ ? static_cast<Enum>(value) : Enum{};
  }
  StdioKind get_stdio() { return get_enum(StdioKind::kStdout); }
  std::string get_text(std::size_t max) {
    const auto size = get<std::uint32_t>();
    if (size > max || size > rest_.size()) good_ = false;
    if (!good_) return {};
    const auto* text = reinterpret_cast<const char*>(rest_.data());
    rest_ = rest_.subspan(size);
    return {text, size};
  }
  Bytes take_rest() { return std::exchange(rest_, {}); }
  void refuse_unless(bool condition) { good_ = good_ && condition; }
  bool good() const { return good_; }
  // The message was complete, and nothing followed.
  bool done() const { return good_ && rest_.empty(); }

 private:
  // Reads a duration that is not negative and is short enough for arithmetic with clocks.
  std::int64_t get_duration() {
    constexpr std::int64_t kMaxDuration = std::int64_t{1} << 52;
    const auto value = get<std::int64_t>();
    if (value < 0 || value > kMaxDuration) good_ = false;
    return good_ ? value : 0;
  }

  Bytes rest_;
  bool good_ = true;
};

inline Status malformed(const char* what) {
  return Status::error("malformed_message", std::string("malformed keeper message: ") + what);
}

template <typename T>
Result<T> finish(const Reader& reader, T value, const char* what) {
  if (!reader.done()) return malformed(what);
  return value;
}

}  // namespace gibbous::wire
