// HttpUrl: the parts of an http:// or https:// URL that a probe needs, checked so that none can
// change the request around it. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gibbous/status.h"

namespace gibbous {

inline constexpr std::size_t kMaxUrlBytes = 4096;

struct HttpUrl {
  bool secure = false;  // https
  std::string host;     // a name or an address, without brackets
  int port = 80;
  std::string target;  // path and query, "/" at least; no fragment

  // Fails with invalid_arguments and a message that says what is wrong.
  static Result<HttpUrl> parse(const std::string& url);
  std::string text() const;
  // Returns the whole GET request.
  std::string request() const;
  // The same for a POST of JSON.
  std::string post(std::string_view body) const;
};

}  // namespace gibbous
