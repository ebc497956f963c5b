// The text that a parser reads, and where its bytes come from. The text of a command line is one
// Source. The inside of backticks, a here-document without its tabs are further
// ones, made from bytes of the first. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/command/syntax.h"

namespace gibbous::command {

class Source {
 public:
  // A script in parentheses that was parsed while the parser searched for the end of the text
  // around it. The parser takes it from here when it gets there, so nothing is parsed twice.
  struct Script {
    std::shared_ptr<Node> root;
    std::size_t end = 0;  // after the closing parenthesis
  };

  // `text` must outlive the source.
  explicit Source(std::string_view text) : text_(text) {}
  // An empty text made from bytes of `from`; append() fills it.
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::string_view text() const { return made_ ? std::string_view(own_) : text_; }
  Range range(std::size_t begin, std::size_t end) const;

  // Appends `bytes`, which stand for `from`'s text at `at`.
  void append(const Source& from, std::size_t at, std::string_view bytes);

  std::unordered_map<std::size_t, Script> scripts;  // by the place of the opening parenthesis

 private:
  // From byte `at` on, the bytes come from `origin` on.
  struct Run {
    std::size_t at = 0;
    std::uint32_t origin = 0;
  };

  std::uint32_t origin(std::size_t at) const;

  std::string_view text_;
  std::string own_;
  bool made_ = false;
  std::vector<Run> runs_;
};

}  // namespace gibbous::command
