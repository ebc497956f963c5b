// The status codes of HTTP that the transport uses. Plain values.
#pragma once

namespace gibbous::mcp::http {

enum HttpStatus : int {
  kOk = 200,
  kAccepted = 202,
  kBadRequest = 400,
  kUnauthorized = 401,
  kForbidden = 403,
  kNotFound = 404,
  kMethodNotAllowed = 405,
  kNotAcceptable = 406,
  kRequestTimeout = 408,
  kContentTooLarge = 413,
  kUnsupportedMediaType = 415,
  kExpectationFailed = 417,
  kHeadTooLarge = 431,
  kNotImplemented = 501,
  kUnavailable = 503,
  kVersionNotSupported = 505,
};

const char* reason(HttpStatus status);

}  // namespace gibbous::mcp::http
