// The protocol's own words: revisions, error codes, log levels, and how one incoming message is
// read: what it is, to which era it belongs, and what is wrong with it. Knows nothing of tools.
// Used by the server. No state; any thread.
//
// "Modern" is revision 2026-07-28: no handshake, every request says its version and the client's
// capabilities in _meta. "Legacy" is everything older, opened by `initialize`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bindings/mcp/json.h"

namespace gibbous::mcp {

enum class Era { kLegacy, kModern };

inline constexpr std::string_view kModernRevision = "2026-07-28";
inline constexpr std::string_view kNewestLegacyRevision = "2025-11-25";

// Keys that the protocol reserves in _meta.
inline constexpr const char* kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr const char* kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

enum ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kUnsupportedVersion = -32022,
  kResourceNotFound = -32002,  // legacy only
};

// Syslog's severities, least severe first.
enum class LogLevel { kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency };

std::optional<LogLevel> log_level(std::string_view name);
const char* log_level_name(LogLevel level);
// All names, for the text of an error.
std::string log_level_names();

// What a JSON-RPC error carries. `data` is null when there is none.
struct Fault {
  int code = kInternalError;
  std::string message;
  Json data;
};

// A message that is well-formed JSON-RPC. `params` is always an object.
struct Request {
  Json id;  // string or integer, exactly as it came
  std::string method;
  Json params;
};
struct Notification {
  std::string method;
  Json params;
};
// The answer to a request of ours.
struct Response {
  Json id;                           // null when it has none that we could have given
  Json result;                       // null when it is an error
  std::optional<std::string> error;  // its message
};
struct Malformed {
  Json id;  // null when it cannot be read
  Fault fault;
};

using Incoming = std::variant<Request, Notification, Response, Malformed>;

Incoming read_message(std::string_view line);

// A key under which the id of a request is found again: 1 and "1" differ.
std::string id_key(const Json& id);
// Ids and progress tokens are strings or integers; they are sent back with every message about the
// request, so they may not be very long.
inline constexpr std::size_t kMaxIdBytes = std::size_t{64} * 1024;
bool is_id(const Json& value);

// What a request's _meta says.
struct Envelope {
  Era era = Era::kLegacy;
  std::optional<Json> progress_token;  // string or integer, exactly as it came
  std::optional<LogLevel> log_level;   // modern: messages for this request are wanted
  bool can_ask = false;                // modern: see can_ask()
};

// Whether a client with these capabilities can put a form to a person (elicitation).
bool can_ask(const Json& capabilities);

std::variant<Envelope, Fault> read_envelope(const Json& params);

// The legacy revision to answer `initialize` with: the one asked for where we speak it.
std::string_view negotiate_legacy(std::string_view requested);
// Versions that a request's _meta may name.
const std::vector<std::string>& modern_revisions();

}  // namespace gibbous::mcp
