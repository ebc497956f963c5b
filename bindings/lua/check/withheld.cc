// See withheld.h.
#include "bindings/lua/check/withheld.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

namespace gibbous::lua {
namespace {

// SOME_KEY=…: a key by its value, because keys of other kinds (a name, a number) are many.
bool is_key(std::string_view name, std::string_view value) {
  using re2::RE2;
  static const RE2 text("[A-Za-z0-9+=_.-][A-Za-z0-9+=_./-]{15,}");
  static const RE2 digit_and_letter("[0-9].*[A-Za-z]|[A-Za-z].*[0-9]");
  return (name.ends_with("KEY") || name.ends_with("key")) && RE2::FullMatch(value, text) &&
         RE2::PartialMatch(value, digit_and_letter);
}

}  // namespace

Withheld withheld_of(const std::vector<std::string>& environment,
                     const std::vector<std::string>& passed,
                     const std::function<std::string(std::string_view)>& redact) {
  Withheld withheld;
  for (const std::string& each : environment) {
    const std::size_t equals = std::min(each.find('='), each.size());
    std::string name = each.substr(0, equals);
    std::string value = each.substr(std::min(equals + 1, each.size()));
    if (std::find(passed.begin(), passed.end(), name) != passed.end()) continue;
    if (redact(each) == each && redact(value) == value && !is_key(name, value)) continue;
    static const re2::RE2 user("://[^/?# \\t\\n]*@", re2::RE2::Latin1);  // and password
    const bool address = re2::RE2::GlobalReplace(&value, user, "://") > 0;
    const std::string rest = name + "=" + value;
    if (address && redact(rest) == rest) withheld.addresses.emplace(name, std::move(value));
    withheld.names.push_back(std::move(name));
  }
  std::sort(withheld.names.begin(), withheld.names.end());
  return withheld;
}

}  // namespace gibbous::lua
