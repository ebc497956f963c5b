// GenerationLoader: one attempt to make a Generation from the files as they are now. Private to
// generation.cc and generation_loader.cc. Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "bindings/lua/generation.h"
#include "bindings/lua/loader.h"
#include "bindings/lua/snapshot.h"

namespace gibbous::lua {

class GenerationLoader {
 public:
  GenerationLoader(const GenerationOptions& options, Services& services)
      : options_(options), services_(services) {}

  // Null with the failure filled in (all but files).
  std::shared_ptr<Generation> load(std::uint64_t id, bool allow_broken_policy,
                                   LoadFailure* failure);
  const Snapshot& snapshot() const { return snapshot_; }

 private:
  void add_limits_arguments();
  bool prepare(LoadFailure* failure);
  // What of the load budget is left; all of it, scripts and policies together, is granted once.
  BudgetLimits budget() const;
  bool load_scripts(Loader& loader, LoadFailure* failure);
  bool load_policies(Loader& loader, ScriptError* error);
  void push_policy_environment(lua_State* state);
  // In a protected call, with what policies/init.lua returned on top.
  bool read_policies(lua_State* state, ScriptError* error);

  const GenerationOptions& options_;
  Services& services_;
  Snapshot snapshot_;
  Nanos started_{0};
  std::shared_ptr<Generation> made_;
  LuaRef policy_environment_;
};

}  // namespace gibbous::lua
