// The media types that a request has and accepts. Pure, any thread.
#pragma once

#include <string_view>

#include "bindings/mcp/http/request_parser.h"

namespace gibbous::mcp::http {

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kEventsType = "text/event-stream";

// Whether the value of a field lists the type, whatever its parameters.
bool names_type(std::string_view list, std::string_view type);
// Whether the client accepts the type; one that says nothing accepts all.
bool accepts(const RequestHead& head, std::string_view type);

}  // namespace gibbous::mcp::http
