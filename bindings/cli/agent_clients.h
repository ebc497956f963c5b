// The agents' clients that `gibbous mcp install` knows: where each keeps its MCP servers, and what
// shows that it is in use. Main thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous::cli {

enum class InstallScope { kProject, kUser };

// A placeholder in AgentClient::workspace for the directory of the project.
inline constexpr std::string_view kProjectDirectory = "PROJECT";

struct AgentClient {
  const char* name;
  const char* title;
  const char* member;  // the object of the servers in its settings
  bool typed;          // its entries have "type": "stdio"
  // What it replaces by the project's directory; "": it starts servers there; kProjectDirectory: it
  // does neither, so that its entry is about one project.
  const char* workspace;
  const char* project_file;           // "": it has none
  const char* command;                // registers a server for all projects; "": a file does
  bool command_has_scopes;            // which are to be named
  bool user_first;                    // all projects are the default
  const char* user_variable;          // names a directory that takes the place of user_directory
  const char* user_directory;         // below the home directory, or an absolute $VARIABLE of XDG
  const char* user_file;              // below that directory
  std::vector<const char*> traces;    // files in a project
  std::vector<const char*> programs;  // in PATH
  const char* check;                  // how a person sees that it works
  // What the client refuses by itself, before the policy is asked, and what allows it; "": nothing
  // that a person should know of before the first call.
  const char* caution;
};

const std::vector<AgentClient>& agent_clients();

// `claude-code` is another name of `claude`. Fails with invalid_arguments, and names the nearest
// client.
Result<const AgentClient*> agent_client(const std::string& name);

struct SettingsPlace {
  std::string directory;
  std::string path;  // below it
};

// Fails with invalid_arguments when the client has no such file, or there is no home directory. For
// all projects of a client with a command there is none: that is where it registers.
Result<SettingsPlace> settings_place(const AgentClient& client, InstallScope scope,
                                     const std::string& project);

// Where this program was found, as a part of a sentence; nothing when it was not.
std::optional<std::string> trace_of(const AgentClient& client, const std::string& project);

// The first executable file of that name in PATH; "" when there is none.
std::string program_in_path(const std::string& name);

}  // namespace gibbous::cli
