// See withheld.h.
#include "bindings/lua/check/withheld.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace gibbous::lua {
namespace {

// SOME_KEY=…: a key by its value, because keys of other kinds (a name, a number) are many.
bool is_key(std::string_view name, std::string_view value) {
  constexpr std::size_t kLeast = 16;
  std::string_view end = name.substr(name.size() < 3 ? 0 : name.size() - 3);
  if ((end != "KEY" && end != "key") || value.size() < kLeast) return false;
  bool digit = false;
  bool letter = false;
  for (const char each : value) {
    const auto byte = static_cast<unsigned char>(each);
    digit = digit || std::isdigit(byte) != 0;
    letter = letter || std::isalpha(byte) != 0;
    if (std::isalnum(byte) == 0 && std::string_view("+=_-/.").find(each) == std::string_view::npos)
      return false;
  }
  return digit && letter && value.front() != '/';
}

// Returns whether there was one: scheme://user:password@host.
bool drop_users(std::string& text) {
  constexpr std::string_view kBehindScheme = "://";
  bool dropped = false;
  for (std::size_t at = text.find(kBehindScheme); at != std::string::npos;
       at = text.find(kBehindScheme, at)) {
    at += kBehindScheme.size();
    const std::size_t end = std::min(text.find_first_of("/?# \t\n", at), text.size());
    const std::size_t host = text.substr(at, end - at).rfind('@');
    if (host == std::string::npos) continue;
    text.erase(at, host + 1);
    dropped = true;
  }
  return dropped;
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
    const bool address = drop_users(value);
    const std::string rest = name + "=" + value;
    if (address && redact(rest) == rest) withheld.addresses.emplace(name, std::move(value));
    withheld.names.push_back(std::move(name));
  }
  std::sort(withheld.names.begin(), withheld.names.end());
  return withheld;
}

}  // namespace gibbous::lua
