// See protocol.h.
#include "bindings/mcp/protocol.h"

#include <array>
#include <utility>

#include "bindings/json/member.h"

namespace gibbous::mcp {
namespace {

constexpr std::array<std::string_view, 8> kLogLevelNames = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

Malformed malformed(int code, std::string message, Json id = nullptr) {
  return Malformed{std::move(id), Fault{code, std::move(message), nullptr}};
}

Response read_response(Json& message) {
  Response response;
  if (const Json* id = find_member(message, "id"); id != nullptr && is_id(*id)) response.id = *id;
  if (const Json* error = find_member(message, "error")) {
    const Json* text = error->is_object() ? find_member(*error, "message") : nullptr;
    response.error = text != nullptr && text->is_string() ? text->get<std::string>() : "";
  } else {
    response.result = std::move(message["result"]);
  }
  return response;
}

Incoming read_object(Json& message) {
  const Json* method = find_member(message, "method");
  if (method == nullptr) {
    if (message.contains("result") || message.contains("error")) return read_response(message);
    return malformed(kInvalidRequest, "A message needs a method");
  }
  const bool has_id = message.contains("id");
  Json id = has_id ? message["id"] : Json();
  if (has_id && !is_id(id)) {
    return malformed(kInvalidRequest, "The id of a request must be a short string or an integer");
  }
  const Json* version = find_member(message, "jsonrpc");
  if (version == nullptr || *version != "2.0") {
    return malformed(kInvalidRequest, "jsonrpc must be \"2.0\"", std::move(id));
  }
  if (!method->is_string()) {
    return malformed(kInvalidRequest, "method must be a string", std::move(id));
  }
  const Json* given = find_member(message, "params");
  const bool usable = given != nullptr && given->is_object();
  // A notification has no id, so nothing can be answered.
  if (given != nullptr && !usable && has_id) {
    return malformed(kInvalidParams, "params must be an object", std::move(id));
  }
  Json params = usable ? std::move(message["params"]) : Json::object();
  std::string name = method->get<std::string>();
  if (has_id) return Request{std::move(id), std::move(name), std::move(params)};
  return Notification{std::move(name), std::move(params)};
}

Fault invalid_params(const char* subject, std::string_view complaint) {
  std::string message = subject;
  message += complaint;
  return Fault{kInvalidParams, std::move(message), nullptr};
}

std::optional<Fault> read_modern(const Json& meta, Envelope& envelope) {
  const Json& version = meta.at(kMetaVersion);
  if (!version.is_string()) return invalid_params(kMetaVersion, " must be a string");
  if (version != kModernRevision) {
    if (!is_id(version)) return invalid_params(kMetaVersion, " is too long");
    const std::string requested = version.get<std::string>();
    return Fault{kUnsupportedVersion, "Unsupported protocol version: " + requested,
                 Json{{"supported", modern_revisions()}, {"requested", requested}}};
  }
  const Json* capabilities = find_member(meta, kMetaCapabilities);
  if (capabilities == nullptr || !capabilities->is_object()) {
    return invalid_params(kMetaCapabilities, " must be an object in _meta");
  }
  if (const Json* level = find_member(meta, kMetaLogLevel)) {
    if (level->is_string()) envelope.log_level = log_level(level->get_ref<const std::string&>());
    if (!envelope.log_level) {
      return invalid_params(kMetaLogLevel, " must be one of " + log_level_names());
    }
  }
  envelope.can = abilities(*capabilities);
  envelope.era = Era::kModern;
  return std::nullopt;
}

}  // namespace

std::optional<LogLevel> log_level(std::string_view name) {
  for (std::size_t at = 0; at < kLogLevelNames.size(); ++at) {
    if (kLogLevelNames[at] == name) return static_cast<LogLevel>(at);
  }
  return std::nullopt;
}

const char* log_level_name(LogLevel level) {
  return kLogLevelNames[static_cast<std::size_t>(level)].data();
}

std::string log_level_names() {
  std::string names;
  for (const std::string_view name : kLogLevelNames) {
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

bool is_id(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().size() <= kMaxIdBytes;
  return value.is_number_integer();
}

ClientAbilities abilities(const Json& capabilities) {
  ClientAbilities can;
  const Json* sampling = find_member(capabilities, "sampling");
  can.sample = sampling != nullptr && sampling->is_object();
  const Json* roots = find_member(capabilities, "roots");
  can.roots = roots != nullptr && roots->is_object();
  if (const Json* extensions = find_member(capabilities, "extensions")) {
    const Json* tasks = find_member(*extensions, kTasksExtension);
    can.tasks = tasks != nullptr && tasks->is_object();
  }
  const Json* elicitation = find_member(capabilities, "elicitation");
  if (elicitation == nullptr || !elicitation->is_object()) return can;
  // Older revisions have forms only, so a client that names no kind supports forms.
  can.ask = elicitation->contains("form") || !elicitation->contains("url");
  return can;
}

Json lacking(const ClientAbilities& can, const std::vector<std::string>& asks) {
  Json missing = Json::object();
  for (const std::string& each : asks) {
    if (each == "form" && !can.ask) missing["elicitation"] = Json{{"form", Json::object()}};
    if (each == "model" && !can.sample) missing["sampling"] = Json::object();
    if (each == "roots" && !can.roots) missing["roots"] = Json::object();
  }
  return missing;
}

std::string id_key(const Json& id) {
  return to_text(id);
}

Incoming read_message(std::string_view line) {
  Parsed parsed = parse_json(line);
  switch (parsed.failure) {
    case ParseFailure::kNone:
      break;
    case ParseFailure::kSyntax:
    case ParseFailure::kTooDeep: {
      const bool deep = parsed.failure == ParseFailure::kTooDeep;
      // An answer of the client has the id of a question of the server.
      const bool asks = line.find("\"method\"") != std::string_view::npos;
      Json id = asks ? std::move(parsed.value["id"]) : Json();
      return malformed(
          deep ? kInvalidRequest : kParseError,
          deep ? "The message nests deeper than " + std::to_string(kMaxDepth) + " levels"
               : "The line is not valid JSON in UTF-8 (half of a surrogate pair is none)",
          is_id(id) ? std::move(id) : Json());
    }
  }
  if (parsed.value.is_array()) {
    return malformed(kInvalidRequest, "Batches are not supported: send one message per line");
  }
  if (!parsed.value.is_object())
    return malformed(kInvalidRequest, "A message must be a JSON object");
  return read_object(parsed.value);
}

std::variant<Envelope, Fault> read_envelope(const Json& params) {
  Envelope envelope;
  const Json* meta = find_member(params, "_meta");
  if (meta == nullptr) return envelope;
  if (!meta->is_object()) return invalid_params("_meta", " must be an object");
  if (meta->contains(kMetaVersion)) {
    if (std::optional<Fault> fault = read_modern(*meta, envelope)) return std::move(*fault);
  }
  if (const Json* token = find_member(*meta, "progressToken")) {
    if (!is_id(*token))
      return invalid_params("progressToken", " must be a short string or an integer");
    envelope.progress_token = *token;
  }
  return envelope;
}

std::string_view negotiate_legacy(std::string_view requested) {
  for (const std::string_view spoken : {"2025-06-18", "2025-11-25", "2024-11-05"}) {
    if (requested == spoken) return spoken;
  }
  // Only 2025-03-26 requires batches, which are not supported here; its clients also speak the
  // revision before it.
  if (requested == "2025-03-26") return "2024-11-05";
  return kNewestLegacyRevision;
}

const std::vector<std::string>& modern_revisions() {
  static const std::vector<std::string> revisions = {std::string(kModernRevision)};
  return revisions;
}

}  // namespace gibbous::mcp
