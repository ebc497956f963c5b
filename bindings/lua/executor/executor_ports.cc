// The ports that an executor's engine chose for a run (docs/executors.md). Used by run.start.
#include "bindings/lua/executor/executor.h"

#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/executor/executor_hook.h"

namespace gibbous::lua {
namespace {

constexpr Millis kAnswerLimit{60'000};  // an image may have to be fetched first
constexpr std::int64_t kMaxMappedPort = 65'535;

int port_in(Fields& fields, const char* name) {
  const auto port = fields.integer(name, 1, kMaxMappedPort);
  if (!port) fields.fail(name, "a number from 1 to 65535", nullptr);
  return static_cast<int>(*port);
}

// Throws WrongUse.
std::vector<PortMapping> read_ports(const std::string& executor, const Json& said) {
  const std::string owner = "executor " + executor + ": ports";
  Fields answer(owner, said);
  const Json& list = answer.value("ports");
  if (!list.is_array()) answer.fail("ports", "a list of { port, host }", list);
  answer.done();
  std::vector<PortMapping> ports;
  for (const Json& each : list) {
    Fields fields(owner, each);
    ports.push_back({port_in(fields, "port"), port_in(fields, "host")});
    fields.done();
  }
  return ports;
}

void note_ports(Context& context, const std::string& id, const Json& said) {
  Run* run = context.runs->find(id);
  if (run == nullptr || said.is_null()) return;
  try {
    context.runs->set_ports(*run, read_ports(run->spec().execution->executor, said));
  } catch (const WrongUse& wrong) {
    context.engine->log("warn", wrong.what(), Json{{"run", id}}, run->spec().session);
  }
}

}  // namespace

void learn_ports(Context& context, Run& run, std::function<void()> on_known) {
  const auto& execution = run.spec().execution;
  if (!execution || !execution->ports_later || run.ended()) return on_known();
  const ExecutorDefinition* found = find_executor(execution->executor, context);
  // It may have ended since.
  if (found == nullptr || !found->ports) return on_known();
  Json arguments = {{"run", run.id()}, {"state", Json::parse(execution->state, nullptr, false)}};
  (void)ask_executor_within(
      context,
      executor_hook(execution->executor, found->ports, run.spec().session, std::move(arguments)),
      kAnswerLimit,
      {[&context, id = run.id(), on_known = std::move(on_known)](const Json& said) {
         note_ports(context, id, said);
         on_known();
       },
       nullptr,
       {}});
}

}  // namespace gibbous::lua
