// http://host[:port][/path][?query][#fragment], the part of RFC 9110 that a probe needs.
#include "runtime/wait/http_url.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "runtime/output/text.h"

namespace gibbous {
namespace {

constexpr int kDefaultPort = 80;
constexpr int kDefaultSecurePort = 443;
constexpr int kMaxUrlPort = 65535;
constexpr std::size_t kMaxPortDigits = 5;
constexpr std::size_t kShownUrlBytes = 60;  // of an invalid URL in a message

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

Status bad_url(const std::string& what) {
  return Status::error("invalid_arguments", what);
}

// 0: not a port.
int parse_port(std::string_view digits) {
  if (digits.empty() || digits.size() > kMaxPortDigits) return 0;
  int port = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return 0;
    port = port * 10 + (c - '0');
  }
  return port <= kMaxUrlPort ? port : 0;
}

int default_port(bool secure) {
  return secure ? kDefaultSecurePort : kDefaultPort;
}

std::string authority_of(const HttpUrl& url) {
  const bool is_v6 = url.host.find(':') != std::string::npos;
  const std::string host = is_v6 ? "[" + url.host + "]" : url.host;
  return url.port == default_port(url.secure) ? host : host + ":" + std::to_string(url.port);
}

}  // namespace

Result<HttpUrl> HttpUrl::parse(const std::string& url) {
  HttpUrl result;
  result.secure = starts_with_ignoring_case(url, "https://");
  const std::string_view scheme = result.secure ? "https://" : "http://";
  if (!starts_with_ignoring_case(url, scheme)) {
    return bad_url("expected http://host[:port]/path or https://, got \"" +
                   to_utf8(url.substr(0, kShownUrlBytes)) + "\"");
  }
  if (url.size() > kMaxUrlBytes) {
    return bad_url("longer than " + std::to_string(kMaxUrlBytes) + " bytes");
  }
  const bool clean = std::all_of(url.begin(), url.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x7f;
  });
  if (!clean)
    return bad_url("has a space, a control character or one beyond ASCII: percent-encode it");

  const std::string_view rest = std::string_view(url).substr(scheme.size());
  const std::size_t host_end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, host_end);
  result.port = default_port(result.secure);
  if (authority.find('@') != std::string_view::npos) return bad_url("a user name is not supported");
  std::string_view port_part;
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return bad_url("the '[' of the address is not closed");
    result.host = authority.substr(1, close - 1);
    port_part = authority.substr(close + 1);
  } else {
    const std::size_t colon = authority.find(':');
    result.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port_part = authority.substr(colon);
  }
  if (result.host.empty()) return bad_url("the host is missing");
  if (!port_part.empty() && port_part != ":") {
    result.port = port_part.front() == ':' ? parse_port(port_part.substr(1)) : 0;
    if (result.port == 0) {
      return bad_url("expected a port from 1 to 65535 after the host, got \"" +
                     std::string(port_part) + "\"");
    }
  }
  std::string_view target = rest.substr(host_end);
  target = target.substr(0, target.find('#'));
  if (target.empty() || target.front() != '/') result.target = "/";
  result.target += target;
  return result;
}

std::string HttpUrl::text() const {
  return std::string(secure ? "https://" : "http://") + authority_of(*this) + target;
}

std::string HttpUrl::post(std::string_view body) const {
  return "POST " + target + " HTTP/1.1\r\nHost: " + authority_of(*this) +
         "\r\nUser-Agent: gibbous\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + std::string(body);
}

std::string HttpUrl::request() const {
  return "GET " + target + " HTTP/1.1\r\nHost: " + authority_of(*this) +
         "\r\nUser-Agent: gibbous\r\nAccept: */*\r\nConnection: close\r\n\r\n";
}

}  // namespace gibbous
