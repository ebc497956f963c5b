// See client_token.h.
#include "bindings/lua/load/client_token.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr int kMaxSessionChars = 100;
constexpr const char* kSession = "^[A-Za-z0-9._-]+$";
constexpr const char* kHash = "^[0-9a-f]{64}$";

Json described(const char* description) {
  return {{"type", "string"}, {"minLength", 1}, {"description", description}};
}

Json described(const char* pattern, const char* description) {
  Json made = described(description);
  made["pattern"] = pattern;
  return made;
}

// It is part of the names of sessions, and of lines of the log.
bool is_token_name(const std::string& name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         std::all_of(name.begin(), name.end(), [](char letter) {
           return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                  (letter >= '0' && letter <= '9') || letter == '_' || letter == '-';
         });
}

Status wrong_token(const std::string& place, const std::string& name, const std::string& why) {
  return Status::error("config_invalid", place + ": mcp.tokens." + name + why);
}

}  // namespace

Json client_tokens_schema() {
  Json session = described(kSession,
                           "session of its calls, <session>@<workspace>; the token's name by "
                           "default");
  session["maxLength"] = kMaxSessionChars;
  const Json token = {
      {"type", "object"},
      {"additionalProperties", false},
      {"properties",
       {{"file", described("file whose first line is the token; only its owner may read it")},
        {"sha256", described(kHash, "SHA-256 of the token, in place of a file")},
        {"mode", described("permission mode of its calls; that of the server by default")},
        {"workspace", described("directory of its runs; that of the server by default")},
        {"session", std::move(session)},
        {"approver",
         {{"type", "string"},
          {"enum", {"client", "person"}},
          {"description",
           "who answers questions of the policy: the client, or only a person, by 'gibbous "
           "asks'"}}}}},
      {"description", "one of file and sha256, and what whoever has the token works with"}};
  return {{"type", "object"},
          {"additionalProperties", false},
          {"properties",
           {{"tokens",
             {{"type", "object"},
              {"additionalProperties", token},
              {"description",
               "clients of 'gibbous mcp --http' and '--unix', by a name of yours: docs/mcp.md"}}}}},
          {"description", "the MCP server over HTTP"}};
}

Status place_client_tokens(const std::string& file, Json* config) {
  if (!config->contains("mcp") || !(*config)["mcp"].contains("tokens")) return {};
  const std::filesystem::path directory = std::filesystem::path(file).parent_path();
  for (auto& [name, token] : (*config)["mcp"]["tokens"].items()) {
    if (!is_token_name(name)) {
      return wrong_token(file, name, ": expected a name of 1 to 64 letters, digits, _ and -");
    }
    if (token.contains("file") == token.contains("sha256")) {
      return wrong_token(file, name,
                         ": expected one of file (a path) and sha256 (what 'sha256sum' says of the "
                         "token)");
    }
    for (const char* field : {"file", "workspace"}) {
      const auto found = token.find(field);
      if (found == token.end()) continue;
      *found = (directory / found->template get<std::string>()).lexically_normal().string();
    }
  }
  return {};
}

std::map<std::string, ClientToken> read_client_tokens(const Json& config) {
  std::map<std::string, ClientToken> made;
  const Json tokens = config.value("mcp", Json::object()).value("tokens", Json::object());
  for (const auto& [name, token] : tokens.items()) {
    ClientToken& each = made[name];
    each.file = token.value("file", "");
    each.sha256 = token.value("sha256", "");
    each.mode = token.value("mode", "");
    each.workspace = token.value("workspace", "");
    each.session = token.value("session", name);
    each.approver = token.value("approver", each.approver);
  }
  return made;
}

}  // namespace gibbous::lua
