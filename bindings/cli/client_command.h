// The commands by which a client registers an MCP server for all projects of its user: `claude mcp
// add` and its kind. Main thread.
#pragma once

#include <string>
#include <vector>

#include "bindings/cli/agent_clients.h"
#include "bindings/cli/settings_entry.h"
#include "gibbous/status.h"

namespace gibbous::cli {

using CommandLine = std::vector<std::string>;

// The client must have a command (AgentClient::command).
CommandLine command_to_add(const AgentClient& client, const ServerEntry& entry);
CommandLine command_to_remove(const AgentClient& client, const std::string& name);

// As a person would type it.
std::string shown_command(const CommandLine& words);

// Waits for its end, a minute at most. Fails with client_failed and what it has printed, or with
// client_missing when PATH has no such program.
Status run_client(const CommandLine& words);

}  // namespace gibbous::cli
