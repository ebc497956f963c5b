#include "bindings/lua/load/generation.h"

#include <utility>

#include "bindings/lua/load/generation_loader.h"
#include "bindings/lua/policy/command_policy.h"

namespace gibbous::lua {
namespace {

// A checkout that is still going on moves files under the load; after this many tries the load
// fails, and the file watcher asks for another one when it is over.
constexpr int kMaxAttempts = 4;

}  // namespace

Generation::Generation() = default;
Generation::~Generation() = default;

std::shared_ptr<Generation> Generation::load(const GenerationOptions& options, std::uint64_t id,
                                             Context& context, bool allow_broken_policy,
                                             LoadFailure* failure, const Generation* before) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    *failure = {};
    auto loader = std::make_unique<GenerationLoader>(options, context, before);
    std::shared_ptr<Generation> made = loader->load(id, allow_broken_policy, failure);
    failure->files = loader->snapshot().watched();
    if (!loader->snapshot().still_true()) continue;
    if (made != nullptr && loader->is_lazy()) made->lazy_ = std::move(loader);
    return made;
  }
  ScriptError error;
  error.code = "files_changing";
  error.message = "the scripts kept changing while they were read";
  failure->errors = {error};
  failure->policy = false;
  return nullptr;
}

void Generation::load_lazy() {
  if (lazy_ == nullptr) return;
  const std::unique_ptr<GenerationLoader> loader = std::move(lazy_);
  ScriptError error;
  if (loader->load_lazy(*this, &error)) return;
  commands_.reset();
  decide_.reset();
  policy_error_ = error.text();
}

const LuaRef* Generation::find_handler(const std::string& name) const {
  const auto found = handlers_.find(name);
  return found == handlers_.end() ? nullptr : &found->second;
}

const ToolDefinition* Generation::find(const std::string& name) const {
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : &found->second;
}

}  // namespace gibbous::lua
