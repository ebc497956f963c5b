// The fields of the configuration: the type and range of each, and what a lower layer may write.
// docs/configuration.md says what they mean. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/check/number_field.h"
#include "bindings/lua/load/config.h"

namespace gibbous::lua {

// What "tighter" means for a field.
enum class Order {
  kLocked,       // nothing is: only the same value counts
  kSmaller,      // a smaller number
  kSmallerNot0,  // the same, and 0 is no limit
  kLarger,       // a larger number
  kTrue,         // true
  kLaterOf,      // what stands later in a list, from the loosest on
  kFewer,        // a part of the list
  kUnion,        // more names: those of all layers count
  kMode          // locked, unless the same layer lists `modes`
};

// The parts of a runtime that numbers of the configuration set.
struct Tuning {
  RunLimits runs;
  RecorderOptions recorder;
  JournalOptions journal;
  QueueLimits queue;
  AskSettings asks;
  EngineLimits engine;
  MemoryLimits memory;
};

struct ConfigField {
  std::string name;  // "limits.max_concurrent"; a part "*" is any name
  Json shape;        // null: in the shape of a field above, or of its own fields alone
  Order order = Order::kLocked;
  bool of_projects = false;                   // whether a project may set it
  std::vector<std::string> from_loosest;      // for kLaterOf
  std::optional<NumberField<Tuning>> number;  // sets the member of Tuning
};

const std::vector<ConfigField>& config_fields();
// Returns the row of a field, or of what contains it. A field without a row is locked, and no
// project may set it.
const ConfigField& config_field(const std::string& name);

}  // namespace gibbous::lua
