// What `gibbous mcp install` and `uninstall` were asked for. Plain values, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings/cli/agent_clients.h"

namespace gibbous::cli {

struct InstallOptions {
  bool wanted = false;               // one of them, not `gibbous mcp`
  std::vector<std::string> clients;  // none: those that are found
  std::optional<InstallScope> scope;
  std::string mode = "auto";
  std::vector<std::string> toolsets;  // none: lean
  std::string name = "gibbous";
  bool dry_run = false;
  bool yes = false;  // without a question
  bool remove = false;
};

}  // namespace gibbous::cli
