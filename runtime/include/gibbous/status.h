// Status and Result<T>: how every operation of Gibbous that can fail says so. Errors are values; no
// exception crosses a folder's border.
//
// A Status is either ok or an error with a stable snake_case `code` (for programs, e.g.
// "run_not_found") and a `message` (for people: what happened, and what to do about it).
// Both types are plain values: copy and move them freely, on any thread.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace gibbous {

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  static Status error(std::string code, std::string message) {
    Status status;
    status.code_ = std::move(code);
    status.message_ = std::move(message);
    assert(!status.code_.empty());
    return status;
  }

  bool ok() const { return code_.empty(); }
  explicit operator bool() const { return ok(); }
  // Empty when ok.
  const std::string& code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  std::string code_;
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}       // NOLINT: implicit on purpose
  Result(Status error) : status_(std::move(error)) {  // NOLINT: implicit on purpose
    assert(!status_.ok());
  }

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const { return status_; }
  // Only when ok().
  T& value() { return *value_; }
  const T& value() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace gibbous
