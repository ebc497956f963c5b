// run:usage(): the keeper's word on the processes here, and over it the executor's on what it
// executes elsewhere.
#include "bindings/lua/api/api_run_usage.h"

#include <lua.hpp>

#include <memory>
#include <utility>

#include "bindings/lua/api/run_effect.h"
#include "bindings/lua/api/run_value.h"
#include "bindings/lua/executor/executor_usage.h"

namespace gibbous::lua {
namespace {

constexpr char kThisMachine[] = "127.0.0.1";

// A listener elsewhere is visible here only by the port that leads to it.
void show_mapped_ports(const Run& run, Json* usage) {
  const auto& execution = run.spec().execution;
  if (!execution || execution->ports.empty()) return;
  const std::string& address = execution->address;
  Json& ports = (*usage)["ports"] = Json::array();
  for (const PortMapping& mapping : execution->ports) {
    ports.push_back({{"port", mapping.port},
                     {"host", mapping.host},
                     {"address", address.empty() ? kThisMachine : address}});
  }
}

Json replaced(Json client, const Json& measured) {
  if (measured.is_null()) return client;
  Json usage = measured;
  usage["ports"] = std::move(client["ports"]);
  return usage;
}

}  // namespace

// Looking needs no leave, but the answers come from the keeper and from a script.
int l_run_usage(lua_State* state) {
  const std::string id = check_id(state, 1);
  Context& context = context_of(state);
  Run* run = find_own(state, id);
  if (run == nullptr) return push_error(state, not_found(state, id), id);
  const auto task = Task::current(state);
  auto effect = std::make_shared<Effect>(Effect{context, task, task->completer()});
  context.runs->usage(*run, [effect](Run& of, const std::optional<RunUsage>& usage) {
    if (effect->cancelled) return;
    if (!usage) {
      effect->fail(Status::error("not_running", "Process \"" + of.id() + "\" has no processes"),
                   of.id());
      return;
    }
    Json client = usage_value(of, *usage);
    show_mapped_ports(of, &client);
    effect->on_cancel = ask_executor_usage(
        effect->context, of, [effect, client = std::move(client)](const Json& measured) {
          effect->answer(replaced(client, measured));
        });
  });
  return task->suspend(state, pending(std::move(effect)));
}

}  // namespace gibbous::lua
