#include "bindings/lua/load/generation.h"

#include <utility>

#include "bindings/lua/load/generation_loader.h"

namespace gibbous::lua {
namespace {

// A checkout in progress moves files during the load. After this many tries the load fails, and the
// file watcher requests another one when the checkout is over.
constexpr int kMaxLoadAttempts = 4;

}  // namespace

Generation::Generation() = default;
Generation::~Generation() = default;

std::shared_ptr<Generation> Generation::load(const GenerationOptions& options, std::uint64_t id,
                                             bool allow_broken_policy, LoadFailure* failure,
                                             const Generation* before) {
  for (int attempt = 0; attempt < kMaxLoadAttempts; ++attempt) {
    *failure = {};
    const auto loader = std::make_shared<GenerationLoader>(options, before);
    std::shared_ptr<Generation> made = loader->load(id, allow_broken_policy, failure);
    failure->files = loader->snapshot().watched();
    if (!loader->snapshot().still_true()) continue;
    if (made != nullptr && loader->is_lazy()) {
      made->policy().load_later([loader, policy = &made->policy()](ScriptError* error) {
        return loader->load_lazy(*policy, error);
      });
    }
    return made;
  }
  ScriptError error;
  error.code = "files_changing";
  error.message = "the scripts kept changing while they were read";
  failure->errors = {error};
  failure->policy = false;
  return nullptr;
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
