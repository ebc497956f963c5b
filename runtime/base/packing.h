// Packer and Unpacker: plain data as bytes, by one description for both directions. A type has a
// function `template <typename A> void fields(A& all, T& each)`, which takes the members apart by a
// structured binding, so that a new member does not compile until it is described, and gives them
// to `all(...)`. Sizes are numbers of seven bits a byte. The Unpacker believes nothing: after bytes
// that are not right, good() is false and what was read means nothing. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gibbous {

class Packer {
 public:
  static constexpr bool kReads = false;
  explicit Packer(std::string* out) : out_(*out) {}

  template <typename... T>
  void operator()(const T&... each) {
    (add(each), ...);
  }

 private:
  void size(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7U) out_ += static_cast<char>(number | 0x80U);
    out_ += static_cast<char>(number);
  }
  void add(std::string_view text) {
    size(text.size());
    out_ += text;
  }
  void add(const std::string& text) { add(std::string_view(text)); }
  template <typename T>
  void add(const std::vector<T>& list) {
    size(list.size());
    for (const T& each : list) add(each);
  }
  template <typename T>
  void add(const std::optional<T>& may_be) {
    add(may_be.has_value());
    if (may_be) add(*may_be);
  }
  template <typename A, typename B>
  void add(const std::pair<A, B>& both) {
    add(both.first);
    add(both.second);
  }
  template <typename T>
  void add(const std::map<std::string, T>& by_name) {
    size(by_name.size());
    for (const auto& each : by_name) add(each);
  }
  template <typename T>
  void add(const std::unordered_map<std::string, T>& by_name) {
    size(by_name.size());
    for (const auto& each : by_name) add(each);
  }
  // What is shared is written once.
  template <typename T>
  void add(const std::shared_ptr<T>& shared) {
    if (shared == nullptr) return size(0);
    const auto [known, is_new] = shared_.try_emplace(shared.get(), shared_.size() + 1);
    size(known->second);
    if (is_new) add(*shared);
  }
  template <typename T>
  void add(const T& each) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      // Signed ones get a sign bit at the low end.
      const auto number = static_cast<std::int64_t>(each);
      const auto bits = static_cast<std::uint64_t>(number);
      size(bits << 1U ^ (number < 0 ? ~std::uint64_t{0} : 0));
    } else {
      // The description serves both directions; this one changes nothing.
      fields(*this, const_cast<T&>(each));
    }
  }

  std::string& out_;
  std::unordered_map<const void*, std::uint64_t> shared_;
};

class Unpacker {
 public:
  static constexpr bool kReads = true;
  // `owner` keeps the bytes alive, for what goes on referring to them; it may be null.
  explicit Unpacker(std::string_view bytes, std::shared_ptr<const void> owner = nullptr)
      : bytes_(bytes), owner_(std::move(owner)) {}

  bool good() const { return good_; }
  // Reads the length that stands before a text or a list, and leaves the rest.
  std::size_t length() {
    const std::uint64_t number = size();
    return good_ ? static_cast<std::size_t>(number) : 0;
  }
  std::string_view rest() const { return bytes_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  bool at_end() const { return good_ && bytes_.empty(); }
  template <typename... T>
  void operator()(T&... each) {
    (take(each), ...);
  }

 private:
  static constexpr std::size_t kMostReserved = 1024;
  static constexpr std::size_t kMaxDepth = 16;  // of what is shared in what is shared

  void fail() {
    good_ = false;
    bytes_ = {};
  }
  std::uint64_t size() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return number;
    }
    fail();
    return 0;
  }
  // The length of a list: each item has a byte at least.
  std::size_t count() {
    const std::uint64_t number = size();
    if (number > bytes_.size()) fail();
    return good_ ? static_cast<std::size_t>(number) : 0;
  }
  // Refers to the bytes.
  void take(std::string_view& text) {
    const std::size_t length = count();
    text = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
  }
  void take(std::string& text) {
    std::string_view view;
    take(view);
    text.assign(view);
  }
  template <typename T>
  void take(std::vector<T>& list) {
    const std::size_t length = count();
    list.clear();
    list.reserve(std::min(length, kMostReserved));
    for (std::size_t at = 0; at < length && good_; ++at) take(list.emplace_back());
  }
  template <typename T>
  void take(std::optional<T>& may_be) {
    bool some = false;
    take(some);
    if (some) take(may_be.emplace());
  }
  template <typename A, typename B>
  void take(std::pair<A, B>& both) {
    take(both.first);
    take(both.second);
  }
  template <typename Map>
  void take_map(Map& by_name) {
    std::size_t left = count();
    if constexpr (requires { by_name.reserve(left); }) {
      by_name.reserve(std::min(left, kMostReserved));
    }
    for (; left > 0 && good_; --left) {
      std::string name;
      take(name);
      take(by_name[std::move(name)]);
    }
  }
  template <typename T>
  void take(std::map<std::string, T>& by_name) {
    take_map(by_name);
  }
  template <typename T>
  void take(std::unordered_map<std::string, T>& by_name) {
    take_map(by_name);
  }
  template <typename T>
  void take(std::shared_ptr<T>& shared) {
    using Made = std::remove_const_t<T>;
    const std::uint64_t number = size();
    if (number == 0) return;
    if (number <= shared_.size()) {
      const Shared& known = shared_[number - 1];
      if (known.type != type_of<Made>()) return fail();
      shared = std::static_pointer_cast<Made>(known.value);
      return;
    }
    if (number != shared_.size() + 1) return fail();
    if (depth_ >= kMaxDepth) return fail();
    ++depth_;
    std::shared_ptr<Made> made;
    if constexpr (std::is_default_constructible_v<Made>) {
      made = std::make_shared<Made>();
      shared_.push_back({made, type_of<Made>()});
      take(*made);
    } else {
      // What it consists of cannot refer to itself.
      const std::size_t at = shared_.size();
      shared_.emplace_back();
      make_shared_from(*this, &made);
      shared_[at] = {made, type_of<Made>()};
    }
    shared = std::move(made);
    --depth_;
  }
  template <typename T>
  void take(T& each) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      const std::uint64_t bits = size();
      const std::uint64_t number = bits >> 1U ^ (bits % 2 != 0 ? ~std::uint64_t{0} : 0);
      each = static_cast<T>(static_cast<std::int64_t>(number));
    } else {
      fields(*this, each);
    }
  }

  template <typename T>
  static const void* type_of() {
    static const char kMark = 0;
    return &kMark;
  }
  struct Shared {
    std::shared_ptr<void> value;
    const void* type = nullptr;
  };

  std::string_view bytes_;
  std::shared_ptr<const void> owner_;
  bool good_ = true;
  std::size_t depth_ = 0;
  std::vector<Shared> shared_;
};

}  // namespace gibbous
