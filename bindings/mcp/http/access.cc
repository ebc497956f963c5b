// See access.h.
#include "bindings/mcp/http/access.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace gibbous::mcp::http {
namespace {

constexpr std::string_view kScheme = "bearer ";

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& letter : small) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return small;
}

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char letter) { return letter >= '0' && letter <= '9'; });
}

bool is_address(const std::string& name) {
  in6_addr parsed{};
  return ::inet_pton(AF_INET, name.c_str(), &parsed) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &parsed) == 1;
}

bool is_loopback(const std::string& name) {
  if (name == "localhost" || name == "::1") return true;
  constexpr std::string_view kLoopbackNet = "127.";
  return name.compare(0, kLoopbackNet.size(), kLoopbackNet) == 0 && is_address(name);
}

bool is_listed(const std::string& name, const AccessRules& rules) {
  return std::find(rules.hosts.begin(), rules.hosts.end(), name) != rules.hosts.end();
}

// An origin is SCHEME://AUTHORITY.
bool may_come_from(const std::string& origin, const AccessRules& rules) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.compare(0, scheme.size(), scheme) != 0) continue;
    const std::string name = host_name(std::string_view(origin).substr(scheme.size()));
    return !name.empty() && (is_loopback(name) || is_listed(name, rules));
  }
  return false;
}

}  // namespace

std::string_view bearer_token(const RequestHead& head) {
  const std::string* given = head.field("authorization");
  if (given == nullptr || given->size() < kScheme.size()) return {};
  if (in_small_letters(std::string_view(*given).substr(0, kScheme.size())) != kScheme) return {};
  std::string_view text = std::string_view(*given).substr(kScheme.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::string host_name(std::string_view authority) {
  std::string_view name = authority;
  std::string_view port;
  if (!name.empty() && name.front() == '[') {
    const std::size_t end = name.find(']');
    if (end == std::string_view::npos) return {};
    port = name.substr(end + 1);
    name = name.substr(1, end - 1);
    if (!port.empty() && port.front() != ':') return {};
  } else if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
    port = name.substr(colon);
    name = name.substr(0, colon);
  }
  if (!port.empty() && !all_digits(port.substr(1))) return {};
  return in_small_letters(name);
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  unsigned different = left.size() == right.size() ? 0 : 1;
  for (std::size_t at = 0; at < left.size(); ++at) {
    const char other = right.empty() ? '\0' : right[at % right.size()];
    different |= static_cast<unsigned char>(left[at]) ^ static_cast<unsigned char>(other);
  }
  return different == 0;
}

Access judge(const RequestHead& head, const AccessRules& rules) {
  const std::string* host = head.field("host");
  const std::string name = host == nullptr ? std::string() : host_name(*host);
  const bool known = rules.any_name || is_loopback(name) || is_listed(name, rules);
  if (!known && !(rules.any_address && is_address(name))) return Access::kForeignHost;
  if (head.count("origin") != 0) {
    const std::string* origin = head.field("origin");
    if (origin == nullptr || !may_come_from(in_small_letters(*origin), rules)) {
      return Access::kForeignOrigin;
    }
  }
  if (rules.token.empty()) return rules.needs_token ? Access::kUnauthorized : Access::kGranted;
  return equal_in_constant_time(bearer_token(head), rules.token) ? Access::kGranted
                                                                 : Access::kUnauthorized;
}

}  // namespace gibbous::mcp::http
