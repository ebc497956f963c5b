// The constants of the protocol (revisions, error codes, log levels), and the parser of incoming
// messages: their kind, their era and their errors. Does not know about tools. Used by the server.
// Stateless; any thread.
//
// "Modern" is revision 2026-07-28: it has no handshake, and every request has its version and the
// client's capabilities in _meta. "Legacy" is everything older, opened by `initialize`.
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
// The extension by which a call is answered with a task.
inline constexpr const char* kTasksExtension = "io.modelcontextprotocol/tasks";
inline constexpr const char* kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

enum ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kMissingCapability = -32021,
  kUnsupportedVersion = -32022,
  kResourceNotFound = -32002,  // legacy only
};

// Syslog's severities, least severe first.
enum class LogLevel { kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency };

std::optional<LogLevel> log_level(std::string_view name);
const char* log_level_name(LogLevel level);
// All names, for the text of an error.
std::string log_level_names();

// The content of a JSON-RPC error. `data` is null when there is none.
struct Fault {
  int code = kInternalError;
  std::string message;
  Json data;
};

// A message that is well-formed JSON-RPC. `params` is always an object.
struct Request {
  Json id;  // string or integer, unchanged
  std::string method;
  Json params;
};
struct Notification {
  std::string method;
  Json params;
};
// The answer to a request of the server.
struct Response {
  Json id;                           // null when it cannot be an id of ours
  Json result;                       // null when it is an error
  std::optional<std::string> error;  // its message
};
struct Malformed {
  Json id;  // null when it cannot be read
  Fault fault;
};

using Incoming = std::variant<Request, Notification, Response, Malformed>;

Incoming read_message(std::string_view line);

// A key for the id of a request; 1 and "1" differ.
std::string id_key(const Json& id);
// Ids and progress tokens are strings or integers. They are sent back with every message about the
// request, so their length is limited.
inline constexpr std::size_t kMaxIdBytes = std::size_t{64} * 1024;
bool is_id(const Json& value);

// What a client can be asked for.
struct ClientAbilities {
  bool ask = false;     // it can show its user a form (elicitation)
  bool sample = false;  // it can ask its model (sampling)
  bool roots = false;   // it can say which directories it works in
  bool tasks = false;   // modern: it takes a task for a result
};

// The _meta of a request.
struct Envelope {
  Era era = Era::kLegacy;
  std::optional<Json> progress_token;  // string or integer, unchanged
  std::optional<LogLevel> log_level;   // modern: the client wants messages about this request
  ClientAbilities can;                 // modern
};

ClientAbilities abilities(const Json& capabilities);

// The capabilities that a client lacks for a tool that asks for these (Runtime::asks_of), as
// ClientCapabilities; an empty object when it has all.
Json lacking(const ClientAbilities& can, const std::vector<std::string>& asks);

std::variant<Envelope, Fault> read_envelope(const Json& params);

// The legacy revision for the answer to `initialize`: the requested one if it is supported.
std::string_view negotiate_legacy(std::string_view requested);
// The versions that are accepted in the _meta of a request.
const std::vector<std::string>& modern_revisions();

}  // namespace gibbous::mcp
