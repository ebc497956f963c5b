#include "bindings/lua/api/queued_start.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/policy/policy_program.h"
#include "runtime/audit/redact.h"
#include "runtime/base/shell_program.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxVariableBytes = std::size_t{16} << 10;
constexpr std::size_t kMaxEnvironmentBytes = std::size_t{256} << 10;

// The journal keeps no variable that is a secret by its name, its shape or the policy's patterns.
class Travellers {
 public:
  explicit Travellers(const PolicyProgram& policy)
      : redactor_(Redactor::create(policy.redact_patterns())) {}

  bool travels(const std::string& variable) const {
    return variable.size() <= kMaxVariableBytes && redactor_.ok() &&
           redactor_->redact(variable) == variable;
  }

 private:
  Result<Redactor> redactor_;
};

std::string name_of(const std::string& variable) {
  return variable.substr(0, variable.find('='));
}

Json executor_value(const StartOptions& options, const Context& context) {
  const std::string name = executor_name(options.executor, context);
  if (name == kHostExecutor) return name;
  Json value = context.executors.value(name, Json::object());
  value.update(options.executor.settings);
  value["name"] = name;
  return value;
}

std::vector<std::string> environment_of(const Json& kept, const Context& context,
                                        const PolicyProgram& policy) {
  const Travellers travellers(policy);
  std::vector<std::string> variables;
  std::set<std::string> known;
  for (const Json& each : kept) {
    if (!each.is_string()) continue;
    variables.push_back(each.get<std::string>());
    known.insert(name_of(variables.back()));
  }
  for (const std::string& own : context.runs->options().env) {
    if (!travellers.travels(own) && known.insert(name_of(own)).second) variables.push_back(own);
  }
  return variables;
}

std::string shell_of(const Json& queued) {
  const std::string shell = text_member(queued, "shell");
  return shell.empty() ? kPlainShell : shell;
}

Status check_version(const Json& meta) {
  const auto found = meta.find(kQueuedStartVersionMember);
  if (found == meta.end()) return {};
  const bool is_number = found->is_number_integer();
  const std::int64_t version = is_number ? found->get<std::int64_t>() : 0;
  if (version >= 1 && version <= kQueuedStartVersion) return {};
  return Status::error("queue_newer", "it was queued by a newer program (version " +
                                          (is_number ? found->dump() : "unknown") +
                                          " of a queued start; this program knows " +
                                          std::to_string(kQueuedStartVersion) +
                                          "), which has to start it");
}

}  // namespace

Status check_queued(const Json& meta) {
  const Status known = check_version(meta);
  const Json start = meta.value("start", Json());
  const bool is_line = start.is_object() && start.contains("command") &&
                       start.value("executor", Json()) == kHostExecutor;
  const std::string shell = shell_of(meta.value("queued", Json()));
  if (!known || !is_line || has_shell(shell)) return known;
  return Status::error("no_shell", "its shell, " + shell + ", is not on this machine");
}

Json portable_start(Json asked, const StartOptions& options, const Context& context) {
  const std::string& cwd = options.spec.cwd;
  const bool absolute = !cwd.empty() && cwd.front() == '/';
  // On another machine, relative directories are below one that only its executor knows.
  if (!absolute && !is_remote(executor_name(options.executor, context), context)) {
    asked["cwd"] = cwd.empty() ? context.workspace : context.workspace + "/" + cwd;
  }
  asked["executor"] = executor_value(options, context);
  return asked;
}

Json queued_place_value(const Context& context, const PolicyProgram& policy,
                        const std::string& mode) {
  const Travellers travellers(policy);
  Json variables = Json::array();
  std::size_t bytes = 0;
  for (const std::string& variable : context.runs->options().env) {
    if (!travellers.travels(variable) || bytes + variable.size() > kMaxEnvironmentBytes) continue;
    bytes += variable.size();
    variables.push_back(variable);
  }
  return {{"mode", mode},
          {"shell", context.runs->options().shell},
          {"workspace", context.workspace},
          {"sandbox", context.sandbox},
          {"environment", std::move(variables)}};
}

Json local_start(Json portable, const Context& context) {
  const auto executor = portable.find("executor");
  if (executor == portable.end()) return portable;
  if (executor->is_object()) {
    const Json configured = context.executors.value(text_member(*executor, "name"), Json::object());
    for (const auto& [name, value] : configured.items()) {
      if (executor->value(name, Json()) == value) executor->erase(name);
    }
  }
  return portable;
}

Result<std::shared_ptr<const QueuedPlace>> read_queued_place(const Json& meta,
                                                             const Context& context,
                                                             const PolicyProgram& policy,
                                                             const std::string& mode) {
  const auto found = meta.find("queued");
  if (found == meta.end() || !found->is_object()) return std::shared_ptr<const QueuedPlace>();
  QueuedPlace place;
  place.mode = text_member(*found, "mode");
  const auto& modes = policy.modes();
  const bool known = std::find(modes.begin(), modes.end(), place.mode) != modes.end();
  // A policy with an error has no modes, and denies the start itself.
  if (!known && !modes.empty()) {
    return Status::error("denied", "It was queued in mode \"" + place.mode +
                                       "\", which the policy no longer has. Queue it again.");
  }
  if (policy.mode_rank(mode) < policy.mode_rank(place.mode)) place.mode = mode;
  place.shell = shell_of(*found);
  place.workspace = text_member(*found, "workspace");
  if (place.workspace.empty()) place.workspace = context.workspace;
  place.sandbox = found->value("sandbox", Json());
  place.environment = environment_of(found->value("environment", Json::array()), context, policy);
  return std::make_shared<const QueuedPlace>(std::move(place));
}

}  // namespace gibbous::lua
