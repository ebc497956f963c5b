// Offered: what the toolsets of a generation offer to clients, and the handlers of its watchers.
// Plain data; loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/load/tool.h"
#include "bindings/lua/vm/lua_ref.h"
#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

class UriTemplate;  // check/uri_template.h

// Before the name of a prompt that is called: what policies judge.
inline constexpr const char* kPromptPrefix = "prompt.";

struct PromptArgument {
  std::string name;
  std::string title;
  std::string description;
  bool optional = false;

  bool operator==(const PromptArgument&) const = default;
};

// One prompt as a script defines it: prompt_reader.h.
struct PromptDefinition {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  // What is called to make its messages: a tool that no client sees. Its arguments are strings.
  ToolDefinition run;
  ToolDefinition complete;  // completion_reader.h
};

// Before the name of a resource that is called: what policies judge.
inline constexpr const char* kResourcePrefix = "resource.";

// One resource as a script defines it, or a template of resources: resource_reader.h.
struct ResourceDefinition {
  std::string name;
  std::string title;
  std::string description;
  std::string uri;                             // or the template
  std::shared_ptr<const UriTemplate> pattern;  // null unless it is a template
  std::string mime_type;
  std::optional<std::uint64_t> size;
  Json annotations;  // in MCP's terms; null: none
  // What is called to read it: a tool that no client sees. Its arguments are the variables.
  ToolDefinition read;
  ToolDefinition complete;  // of a template: completion_reader.h
};

struct Offered {
  std::map<std::string, ToolDefinition> tools;
  std::map<std::string, ResourceDefinition> resources;  // by URI, or template
  std::map<std::string, PromptDefinition> prompts;
  std::map<std::string, LuaRef> handlers;  // of watchers, by name: "on_ready"
};

}  // namespace gibbous::lua
