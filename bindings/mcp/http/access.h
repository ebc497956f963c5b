// Decides who may use the HTTP transport: by the name that the client calls the server by (a web
// page whose name was bound to a local address must not), its web page, and its token. Pure, any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bindings/mcp/http/request_parser.h"

namespace gibbous::mcp::http {

struct AccessRules {
  // Names that clients may use besides those of this machine's loopback, in small letters.
  std::vector<std::string> hosts;
  bool any_address = false;  // any IP address, too: the server is not bound to the loopback
  bool any_name = false;     // no web page can reach the server
  std::string token;         // of the server; "": it has none
  // A request needs a token, also where the server has none: one of the configuration.
  bool needs_token = false;
};

enum class Access { kGranted, kForeignHost, kForeignOrigin, kUnauthorized };

Access judge(const RequestHead& head, const AccessRules& rules);

// The token of the Authorization field; "" when it is none.
std::string_view bearer_token(const RequestHead& head);
// The name or address of a Host field or an authority, in small letters and without port and
// brackets; "" when it is not one.
std::string host_name(std::string_view authority);
// Compares in a time that does not depend on where the texts differ.
bool equal_in_constant_time(std::string_view left, std::string_view right);

}  // namespace gibbous::mcp::http
