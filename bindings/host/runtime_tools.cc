// The tools and functions of the host: from the start, and added or removed later.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/host/host_tool.h"
#include "bindings/host/runtime_impl.h"
#include "bindings/lua/api/api.h"

namespace gibbous {

Status Runtime::Impl::init_tools(std::vector<HostTool> tools, std::vector<HostFunction> functions) {
  options.tools.clear();
  options.functions.clear();
  std::vector<Result<std::shared_ptr<const lua::HostPart>>> parts;
  for (HostTool& tool : tools) parts.push_back(host::checked_tool(std::move(tool), border));
  for (HostFunction& function : functions) {
    parts.push_back(host::checked_function(std::move(function), border));
  }
  for (auto& part : parts) {
    if (!part) return part.status();
    const std::string name = (*part)->name;
    if (!host_tools.emplace(name, std::move(*part)).second) {
      return Status::error("invalid_arguments", "tools, functions: two are named '" + name + "'");
    }
  }
  engine_options.generation.host_tools = context.host_tools = &host_tools;
  engine_options.generation.push_host_run = lua::push_host_run;
  engine_options.generation.push_host_pure = lua::push_host_pure;
  return {};
}

Status Runtime::Impl::add_part(Result<std::shared_ptr<const lua::HostPart>> part) {
  if (!part) return part.status();
  const std::string name = (*part)->name;
  lua::HostTools tools = host_tools;
  if (!tools.emplace(name, std::move(*part)).second) {
    return Status::error("invalid_arguments", "name: the host has '" + name + "' already");
  }
  return use_tools(std::move(tools));
}

Status Runtime::Impl::remove_part(const std::string& name, const char* kind) {
  lua::HostTools tools = host_tools;
  const auto found = tools.find(name);
  const bool is_function = kind == std::string("function");
  if (found == tools.end() || found->second->is_function != is_function) {
    return Status::error(std::string(kind) + "_not_found",
                         std::string("the host has no ") + kind + " '" + name + "'");
  }
  tools.erase(found);
  return use_tools(std::move(tools));
}

Status Runtime::Impl::use_tools(lua::HostTools tools) {
  std::swap(host_tools, tools);
  const ReloadResult loaded = engine->reload();
  if (loaded.ok) {
    if (monitor) monitor->set_files(engine->monitored_files());
    return {};
  }
  std::swap(host_tools, tools);
  const std::string where =
      loaded.file.empty() ? "" : " (" + loaded.file + ":" + std::to_string(loaded.line) + ")";
  return Status::error("script_error", loaded.message + where);
}

}  // namespace gibbous
