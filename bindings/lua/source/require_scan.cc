#include "bindings/lua/source/require_scan.h"

#include <utility>

#include "bindings/lua/source/source_words.h"

namespace gibbous::lua {

namespace {

constexpr std::string_view kRequire = "require";

}  // namespace

std::vector<RequiredName> required_names(std::string_view source) {
  std::vector<RequiredName> found;
  if (source.find(kRequire) == std::string_view::npos) return found;  // most files
  for (SourceWord& word : source_words(source)) {
    const bool argument = word.is_literal && word.name == kRequire && !word.member;
    if (argument && word.between != '=') found.push_back({std::move(word.text), word.name_line});
  }
  return found;
}

}  // namespace gibbous::lua
