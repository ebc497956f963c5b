// The headers that revision 2026-07-28 requires of a request, and what they must equal in its body.
// So a proxy that decides by the headers and this server never see two different requests. Pure,
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bindings/mcp/http/request_parser.h"
#include "bindings/mcp/protocol.h"

namespace gibbous::mcp::http {

// The error code for headers that do not fit.
inline constexpr int kHeaderMismatch = -32020;

// `version`: of the body's _meta.
std::optional<Fault> compare_version(const RequestHead& head, const Json& version);
std::optional<Fault> compare_names(const RequestHead& head, const Request& request);

// Decodes =?base64?...?=, and returns other text unchanged; nothing when it is not valid base64.
std::optional<std::string> decode_header(std::string_view text);

}  // namespace gibbous::mcp::http
