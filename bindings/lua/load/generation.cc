#include "bindings/lua/load/generation.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "bindings/lua/check/uri_template.h"
#include "bindings/lua/load/generation_loader.h"
#include "bindings/lua/source/memory_files.h"
#include "runtime/paths/mount_types.h"
#include "runtime/paths/patience.h"

namespace gibbous::lua {
namespace {

// A checkout in progress moves files during the load. After this many tries the load fails, and the
// file watcher requests another one when the checkout is over.
constexpr int kMaxLoadAttempts = 4;
constexpr std::chrono::seconds kPatience{2};  // with a file system that may not answer

}  // namespace

Generation::Generation() = default;
Generation::~Generation() = default;

static void fail_unanswered(const std::string& what, const std::string& path,
                            LoadFailure* failure) {
  ScriptError error;
  error.code = "path_unanswered";
  error.message = what + " cannot be read: the file system of " + path + " does not answer";
  failure->errors = {error};
}

// What does not answer would keep the caller for ever, and its process from ending.
static bool check_answers(const GenerationOptions& options, LoadFailure* failure) {
  const std::pair<const char*, const std::string*> places[] = {
      {"scripts", &options.scripts_dir},
      {"scripts", &options.shipped_scripts_dir},
      {"policies", &options.policies_dir},
      {"policies", &options.shipped_policies_dir}};
  if (paths::MountTypes::of_process()->now()->all_local()) return true;
  for (const auto& [what, directory] : places) {
    if (directory->empty() || is_in_memory(*directory)) continue;
    std::error_code none;
    const std::string path = std::filesystem::absolute(*directory, none).string();
    if (paths::answers_within(path, kPatience)) continue;
    fail_unanswered(std::string("the ") + what, path, failure);
    failure->policy = what == std::string("policies");
    return false;
  }
  return true;
}

std::shared_ptr<Generation> Generation::load(const GenerationOptions& options, std::uint64_t id,
                                             bool allow_broken_policy, LoadFailure* failure,
                                             const Generation* before) {
  if (!check_answers(options, failure)) return nullptr;
  for (int attempt = 0; attempt < kMaxLoadAttempts; ++attempt) {
    *failure = {};
    LayerSet layers = options.layers ? options.layers() : LayerSet{};
    if (!layers.status) {
      ScriptError error;
      error.code = layers.status.code();
      error.message = layers.status.message();
      failure->errors = {error};
      failure->policy = true;
      failure->files = std::move(layers.watched);
      return nullptr;
    }
    const auto loader = std::make_shared<GenerationLoader>(options, before, std::move(layers));
    std::shared_ptr<Generation> made = loader->load(id, allow_broken_policy, failure);
    failure->files = loader->watched();
    const bool still_true = loader->snapshot().still_true();
    const std::string& dead = loader->snapshot().unanswered();
    if (made == nullptr || !still_true || !dead.empty()) loader->give_up();
    if (!dead.empty()) {  // it has died meanwhile
      fail_unanswered("a file", dead, failure);
      return nullptr;
    }
    if (!still_true) continue;
    if (made != nullptr && loader->is_lazy()) {
      made->policy().load_later(
          [loader, policy = &made->policy()](std::optional<ReadPolicy> known, ScriptError* error) {
            return loader->load_lazy(*policy, std::move(known), error);
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
  const auto found = offered_.handlers.find(name);
  return found == offered_.handlers.end() ? nullptr : &found->second;
}

const ToolDefinition* Generation::find(const std::string& name) const {
  const auto found = offered_.tools.find(name);
  return found == offered_.tools.end() ? nullptr : &found->second;
}

const ResourceDefinition* Generation::find_resource(const std::string& uri, Json* arguments) const {
  *arguments = Json::object();
  const auto found = offered_.resources.find(uri);
  if (found != offered_.resources.end() && found->second.pattern == nullptr) return &found->second;
  for (const auto& [text, resource] : offered_.resources) {
    std::optional<Json> values;
    if (resource.pattern != nullptr) values = resource.pattern->match(uri);
    if (!values) continue;
    *arguments = std::move(*values);
    return &resource;
  }
  return nullptr;
}

}  // namespace gibbous::lua
