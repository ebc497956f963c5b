#include "bindings/lua/load/moved_modules.h"

namespace gibbous::lua {
namespace {

struct MovedModule {
  const char* old_name;
  const char* new_name;
};

// Modules of the shipped scripts that moved into folders.
constexpr MovedModule kMovedScripts[] = {
    {"executors.container_end", "executors.container.ending"},
    {"executors.container_mounts", "executors.container.mounts"},
    {"executors.container_removal", "executors.container.removal"},
    {"executors.container_usage", "executors.container.usage"},
    {"service_declaration", "services.declaration"},
    {"service_output", "services.output"},
    {"service_port", "services.port"},
    {"toolsets.background_port", "toolsets.background.port"},
    {"toolsets.background_wait", "toolsets.background.wait"},
    {"toolsets.bg_format", "toolsets.format"},
    {"toolsets.bg_read", "toolsets.bg.read"},
    {"toolsets.shell_format", "toolsets.shell.format"},
};

}  // namespace

std::string moved_module(const std::string& module) {
  for (const MovedModule& moved : kMovedScripts) {
    if (module == moved.old_name) return moved.new_name;
  }
  return "";
}

}  // namespace gibbous::lua
