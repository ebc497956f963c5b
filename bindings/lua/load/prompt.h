// PromptDefinition: one prompt as a script defines it. prompt_reader.h reads it, the engine runs
// it, front ends list it. Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "bindings/lua/load/tool.h"

namespace gibbous::lua {

// Before the name of a prompt that is called: what policies judge.
inline constexpr const char* kPromptPrefix = "prompt.";

struct PromptArgument {
  std::string name;
  std::string title;
  std::string description;
  bool optional = false;

  bool operator==(const PromptArgument&) const = default;
};

struct PromptDefinition {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  // What is called to make its messages: a tool that no client sees. Its arguments are strings.
  ToolDefinition run;
  ToolDefinition complete;  // completion_reader.h
};

}  // namespace gibbous::lua
