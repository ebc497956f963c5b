// HttpUrl: the parts of an http:// URL that a probe needs, checked so that nothing in it can change
// the request that it is put into. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>

#include "gibbous/status.h"

namespace gibbous {

inline constexpr std::size_t kMaxUrlBytes = 4096;

struct HttpUrl {
  std::string host;  // a name or an address, without brackets
  int port = 80;
  std::string target;  // path and query, "/" at least; no fragment

  // Fails with invalid_arguments and what is wrong.
  static Result<HttpUrl> parse(const std::string& url);
  std::string text() const;
  // The whole GET request for it.
  std::string request() const;
};

}  // namespace gibbous
