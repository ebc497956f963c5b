// The configuration of several layers, made one: what the managed layer names binds the others, the
// user's binds a project, and the command line is the user's. A lower layer may only tighten. Any
// thread.
//
// Each field has an order that says what tighter means. The files of managed and project layers are
// read once, through descriptors and without links, so that what is used is what was checked and
// hashed. A trusted project that changes keeps its rules until the process ends, because a rule
// that falls away would loosen.
#pragma once

#include <string>
#include <vector>

#include "bindings/lua/load/config.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"
#include "runtime/base/clock.h"

namespace gibbous::lua {

enum class ConfigLayer { kDefault, kManaged, kUser, kProject, kOptions };
const char* name_of(ConfigLayer layer);  // "default", "managed", "user", "project", "command line"

// A configuration file that was read, or the options of the command line as such a table.
struct LayerText {
  ConfigLayer layer = ConfigLayer::kUser;
  std::string path;  // its name in messages; its relative paths start there
  std::string text;
  Json table;  // in place of `text`; null: none
};

// Where a value was written.
struct ConfigPlace {
  ConfigLayer layer = ConfigLayer::kDefault;
  std::string file;
  int line = 0;  // 0: not known

  std::string text() const;  // "/etc/gibbous/config.lua:3"
};

struct ConfigValue {
  std::string field;  // "limits.max_concurrent"
  std::string shown;  // the value as JSON, without secrets
  ConfigPlace place;
};

// What a layer has set and what is not in force, with the reason and what to do.
struct RefusedValue {
  std::string field;
  std::string shown;
  ConfigPlace place;
  ConfigPlace bound;  // what refuses it; kDefault: the default, or what a project may set
  std::string message;
};

struct LayeredConfig {
  Config config;                            // in force
  std::vector<ConfigValue> values;          // of the fields that some layer has set, by name
  std::vector<RefusedValue> refused;        // from files
  std::vector<std::string> managed_fields;  // that the managed layer names
  bool managed_judges = false;  // the managed layer says something about modes or sandboxes
};

// `layers` in the order of ConfigLayer. Fails with config_invalid for a file that is wrong, and
// with config_refused where the command line loosens what is bound, or the mode is not among
// `modes`.
Result<LayeredConfig> merge_layers(const std::vector<LayerText>& layers, const Clock& clock);

}  // namespace gibbous::lua
