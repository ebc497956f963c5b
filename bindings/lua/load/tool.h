// ToolDefinition: one tool as a script defines it. tool_reader.h reads it, the engine calls it,
// front ends list it. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/vm/lua_ref.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/task_use.h"

namespace gibbous::lua {

inline const std::vector<std::string> kPermissions = {"read", "write", "execute"};

// What a script can ask a client for: ask, ask.model, ask.roots.
inline const std::vector<std::string> kAskKinds = {"form", "model", "roots"};

class SchemaCheck;  // check/schema_check.h

struct ToolDefinition {
  std::string name;
  std::string toolset;
  std::string title;
  std::string description;
  std::string permission;  // read, write, execute
  Json input_schema;
  Json output_schema;  // null when the tool has none
  Json annotations;    // in MCP's terms: readOnlyHint, ...; all four set
  std::string file;    // the script that defines it: the namespace of its store
  std::shared_ptr<const SchemaCheck> input_check;
  std::shared_ptr<const SchemaCheck> output_check;  // null when there is none
  LuaRef run;
  bool structured = false;  // models read its data
  TaskUse task;             // as ToolInfo::task
  bool hidden = false;      // a function of the host: only scripts call it
  // What its client must be able to answer (kAskKinds).
  std::vector<std::string> asks;
  bool enabled = true;        // until a script says otherwise; see Engine::enable
  bool takes_limits = false;  // gets the argument `limits` when the mode lets tools set them
  std::string command;        // the argument that is a command line for a shell; "": none
  std::string typed;  // the argument that is typed into a program and not recorded; "": none
  std::string words;  // the argument that holds its words, without a shell; "": none
  Json settings;      // of its toolset, from the configuration; null: it takes none
  // The permission of a call by its argument `action`, where it differs.
  std::map<std::string, std::string> actions;
  // The tool whose rows in a mode hold where the mode has none for this one; by action, "": the
  // rest.
  std::map<std::string, std::string> judged_as;
};

}  // namespace gibbous::lua
