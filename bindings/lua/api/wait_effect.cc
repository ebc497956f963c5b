#include "bindings/lua/api/wait_effect.h"

#include <algorithm>
#include <vector>

#include "bindings/lua/call/context.h"
#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/policy/verdict.h"
#include "runtime/base/shell_quote.h"
#include "runtime/command/path_map.h"
#include "runtime/paths/git_places.h"
#include "runtime/paths/walk.h"
#include "runtime/runs/path_lookups.h"
#include "runtime/sandbox/hidden.h"
#include "runtime/wait/connect_probe.h"
#include "runtime/wait/http_url.h"

namespace gibbous::lua {
namespace {

// Another machine, or a name that may stand for one.
bool is_elsewhere(const std::string& host) {
  const std::vector<Address> known = known_addresses(host);
  return known.empty() ||
         !std::all_of(known.begin(), known.end(), [](const Address& to) { return to.is_local(); });
}

bool looks_elsewhere(const Condition& condition) {
  if (condition.kind == ConditionKind::kPort) {
    return condition.mapped_from == 0 && is_elsewhere(condition.host);
  }
  if (condition.kind != ConditionKind::kHttp || !condition.mapped_url.empty()) return false;
  const auto url = HttpUrl::parse(condition.url);
  return url && is_elsewhere(url->host);
}

// Where the path leads, as far as that can be said at once.
std::string real(const Context& context, const std::string& path) {
  if (context.runs == nullptr) return command::normalize(path);
  return paths::walk(path, context.runs->paths().mounts()->now().get()).real;
}

bool names_file_outside(const Condition& condition, const Context& context) {
  return condition.kind == ConditionKind::kFile &&
         !command::is_within(real(context, condition.path), real(context, context.workspace));
}

}  // namespace

std::string looking_command(const WaitSpec& spec, const Context& context) {
  std::string line;
  const auto add = [&line](const std::string& command) {
    line += (line.empty() ? "" : "; ") + command;
  };
  for (const Condition& condition : spec.conditions) {
    if (names_file_outside(condition, context)) {
      add("test -e " + shell_quote(condition.path));
    } else if (looks_elsewhere(condition)) {
      add(condition.kind == ConditionKind::kHttp
              ? "curl -s " + shell_quote(condition.url)
              : "curl -s " + shell_quote("http://" + condition.host + ":" +
                                         std::to_string(condition.port) + "/"));
    }
  }
  return line;
}

Status check_sight(const Context& context, const Verdict& verdict, const WaitSpec& spec) {
  const Json sandbox = verdict.whole_sandbox();
  if (sandbox.is_null()) {
    if (!restricts(context.sandbox)) return {};
    return Status::error("denied", "A sandbox is configured, but the policy's verdict has none.");
  }
  SandboxSpec profile;
  try {
    // What is hidden needs none of git's places.
    PathVariables variables = context.path_variables;
    for (const auto& [name, places] : paths::git_places_of("").variables) variables[name] = places;
    profile = parse_sandbox("the policy's verdict: sandbox", sandbox, variables);
  } catch (const WrongUse& use) {
    return Status::error("denied", use.what());
  }
  const auto denied = [&profile](const std::string& what) {
    return Status::error("denied", "The sandbox that runs get here (" + profile.profile +
                                       ") holds for waits, too: " + what);
  };
  for (const Condition& condition : spec.conditions) {
    if (profile.network > SandboxNetwork::kChecked && looks_elsewhere(condition)) {
      return denied("it leaves no way to other machines.");
    }
    if (condition.kind != ConditionKind::kFile) continue;
    const std::string path = real(context, condition.path);
    if (is_hidden(path, profile)) return denied("it hides " + condition.path + ".");
  }
  return {};
}

}  // namespace gibbous::lua
