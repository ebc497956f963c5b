// ResourceDefinition: one resource as a script defines it, or a template of resources.
// resource_reader.h reads it, the engine reads the resource, front ends list it. Loop thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bindings/lua/load/tool.h"
#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

class UriTemplate;  // check/uri_template.h

// Before the name of a resource that is called: what policies judge.
inline constexpr const char* kResourcePrefix = "resource.";

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

}  // namespace gibbous::lua
