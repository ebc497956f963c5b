// See agent_clients.h.
#include "bindings/cli/agent_clients.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "runtime/base/nearest.h"

namespace gibbous::cli {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = *name == '\0' ? nullptr : std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

const std::vector<AgentClient>& agent_clients() {
  static const std::vector<AgentClient> kClients = {
      {.name = "claude",
       .title = "Claude Code",
       .member = "mcpServers",
       .typed = false,
       .workspace = "",
       .project_file = ".mcp.json",
       .command = "claude",
       .command_has_scopes = true,
       .user_first = false,
       .user_variable = "",
       .user_directory = "",
       .user_file = "",
       .traces = {".mcp.json", ".claude", "CLAUDE.md"},
       .programs = {"claude"},
       .check = "claude mcp list",
       .caution = ""},
      {.name = "codex",
       .title = "Codex",
       .member = "",
       .typed = false,
       .workspace = "",
       .project_file = "",
       .command = "codex",
       .command_has_scopes = false,
       .user_first = true,
       .user_variable = "",
       .user_directory = "",
       .user_file = "",
       .traces = {".codex"},
       .programs = {"codex"},
       .check = "codex mcp list",
       .caution = "codex exec refuses tools that are not read-only unless the server's table has "
                  "default_tools_approval_mode = \"approve\""},
      {.name = "cursor",
       .title = "Cursor",
       .member = "mcpServers",
       .typed = false,
       .workspace = "",
       .project_file = ".cursor/mcp.json",
       .command = "",
       .command_has_scopes = false,
       .user_first = false,
       .user_variable = "",
       .user_directory = "",
       .user_file = ".cursor/mcp.json",
       .traces = {".cursor"},
       .programs = {"cursor", "cursor-agent"},
       .check = "the list of MCP servers in Cursor's settings",
       .caution = ""},
      {.name = "vscode",
       .title = "VS Code",
       .member = "servers",
       .typed = true,
       .workspace = "${workspaceFolder}",
       .project_file = ".vscode/mcp.json",
       .command = "",
       .command_has_scopes = false,
       .user_first = false,
       .user_variable = "XDG_CONFIG_HOME",
       .user_directory = ".config",
       .user_file = "Code/User/mcp.json",
       .traces = {".vscode"},
       .programs = {"code"},
       .check = "'MCP: List Servers' in the command palette",
       .caution = ""},
      {.name = "gemini",
       .title = "Gemini CLI",
       .member = "mcpServers",
       .typed = false,
       .workspace = "",
       .project_file = ".gemini/settings.json",
       .command = "gemini",
       .command_has_scopes = true,
       .user_first = false,
       .user_variable = "",
       .user_directory = "",
       .user_file = "",
       .traces = {".gemini", "GEMINI.md"},
       .programs = {"gemini"},
       .check = "gemini mcp list",
       .caution =
           "Gemini CLI starts no server in a folder that it does not trust; gemini -p hides the "
           "tools that it would ask about from the model, unless the server's entry has "
           "\"trust\": true"},
      {.name = "zed",
       .title = "Zed",
       .member = "context_servers",
       .typed = false,
       .workspace = kProjectDirectory.data(),
       .project_file = "",
       .command = "",
       .command_has_scopes = false,
       .user_first = true,
       .user_variable = "XDG_CONFIG_HOME",
       .user_directory = ".config",
       .user_file = "zed/settings.json",
       .traces = {".zed"},
       .programs = {"zed", "zeditor"},
       .check = "the list of MCP servers in Zed's agent settings",
       .caution = ""},
      {.name = "windsurf",
       .title = "Windsurf",
       .member = "mcpServers",
       .typed = false,
       .workspace = kProjectDirectory.data(),
       .project_file = "",
       .command = "",
       .command_has_scopes = false,
       .user_first = true,
       .user_variable = "",
       .user_directory = "",
       .user_file = ".codeium/windsurf/mcp_config.json",
       .traces = {".windsurf", ".windsurfrules"},
       .programs = {"windsurf"},
       .check = "the list of MCP servers in Windsurf's Cascade panel",
       .caution = ""},
  };
  return kClients;
}

Result<const AgentClient*> agent_client(const std::string& name) {
  std::vector<std::string> known;
  std::string list;
  const std::string wanted = name == "claude-code" ? "claude" : name;
  for (const AgentClient& each : agent_clients()) {
    if (each.name == wanted) return &each;
    known.emplace_back(each.name);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  return Status::error("invalid_arguments", "unknown client '" + name + "'" +
                                                did_you_mean(nearest_name(name, known)) +
                                                "; known: " + list);
}

Result<SettingsPlace> settings_place(const AgentClient& client, InstallScope scope,
                                     const std::string& project) {
  if (scope == InstallScope::kProject) {
    if (*client.project_file != '\0') return SettingsPlace{project, client.project_file};
    return Status::error("invalid_arguments",
                         std::string(client.title) + " has no such file in a project: use --user");
  }
  const std::string chosen = variable(client.user_variable);
  if (!chosen.empty()) return SettingsPlace{chosen, client.user_file};
  const std::string home = variable("HOME");
  if (home.empty()) return Status::error("invalid_arguments", "HOME is not set: use --project");
  const std::string between = *client.user_directory == '\0' ? "" : client.user_directory;
  return SettingsPlace{home, between.empty() ? client.user_file : between + "/" + client.user_file};
}

std::optional<std::string> trace_of(const AgentClient& client, const std::string& project) {
  for (const char* trace : client.traces) {
    if (is_there(fs::path(project) / trace)) return std::string(trace) + " in this project";
  }
  for (const char* program : client.programs) {
    const std::string path = program_in_path(program);
    if (!path.empty()) return path;
  }
  return std::nullopt;
}

std::string program_in_path(const std::string& name) {
  std::istringstream directories(variable("PATH"));
  for (std::string directory; std::getline(directories, directory, ':');) {
    const std::string path = directory + "/" + name;
    std::error_code ignored;
    const bool is_program = directory.starts_with('/') && fs::is_regular_file(path, ignored) &&
                            ::access(path.c_str(), X_OK) == 0;
    if (is_program) return path;
  }
  return "";
}

}  // namespace gibbous::cli
