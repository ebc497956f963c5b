// See http_status.h.
#include "bindings/mcp/http/http_status.h"

namespace gibbous::mcp::http {

const char* reason(HttpStatus status) {
  switch (status) {
    case kOk:
      return "OK";
    case kAccepted:
      return "Accepted";
    case kBadRequest:
      return "Bad Request";
    case kUnauthorized:
      return "Unauthorized";
    case kForbidden:
      return "Forbidden";
    case kNotFound:
      return "Not Found";
    case kMethodNotAllowed:
      return "Method Not Allowed";
    case kNotAcceptable:
      return "Not Acceptable";
    case kRequestTimeout:
      return "Request Timeout";
    case kContentTooLarge:
      return "Content Too Large";
    case kUnsupportedMediaType:
      return "Unsupported Media Type";
    case kExpectationFailed:
      return "Expectation Failed";
    case kHeadTooLarge:
      return "Request Header Fields Too Large";
    case kNotImplemented:
      return "Not Implemented";
    case kUnavailable:
      return "Service Unavailable";
    case kVersionNotSupported:
      return "HTTP Version Not Supported";
  }
  return "";
}

}  // namespace gibbous::mcp::http
