// run:usage(): the keeper's figures for the processes here, replaced by the executor's for what it
// executes elsewhere. run:writers(): what /proc says about those that write its stdout.
#include "bindings/lua/api/run_effect.h"

#include <lua.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "bindings/lua/api/run_value.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/executor/executor.h"
#include "bindings/lua/vm/error.h"
#include "runtime/output/text.h"
#include "runtime/process/writers.h"

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

// `wanted`: the variables that the caller asks about.
Json writer_value(const OutputWriter& writer, const std::vector<std::string>& wanted) {
  Json variables = Json::array();
  for (const std::string& name : wanted) {
    const auto& set = writer.variables;
    if (std::find(set.begin(), set.end(), name) != set.end()) variables.push_back(name);
  }
  Json argv = Json::array();
  for (const std::string& argument : writer.argv) argv.push_back(to_utf8(argument));
  Json value = {{"pid", writer.pid},       {"program", to_utf8(writer.program)},
                {"argv", std::move(argv)}, {"direct", writer.direct},
                {"fed", writer.fed},       {"variables", std::move(variables)}};
  if (writer.written_bytes) value["written_bytes"] = *writer.written_bytes;
  return value;
}

Json writers_value(const Run& run, const std::vector<std::string>& variables) {
  std::vector<OutputWriter> writers = run.silent_writers();
  const bool is_alive = run.pid() != 0 && !run.ended();
  if (is_alive && !run.spec().terminal) writers = read_output_writers(run.pid());
  Json values = Json::array();
  for (const OutputWriter& writer : writers) values.push_back(writer_value(writer, variables));
  return values;
}

}  // namespace

int l_run_writers(lua_State* state) {
  return with_wrong_use(state, [state] {
    constexpr std::size_t kMaxVariables = 16;
    const std::string id = check_id(state, 1);
    Fields fields("run:writers", options_at(state, 2));
    const std::vector<std::string> variables =
        fields.texts("variables").value_or(std::vector<std::string>());
    if (variables.size() > kMaxVariables) {
      fields.fail("variables", "at most 16 names", fields.value("variables"));
    }
    fields.done();
    const Run* run = find_own(state, id);
    if (run == nullptr) return push_error(state, not_found(state, id), id);
    push_json(state, writers_value(*run, variables));
    return 1;
  });
}

// Measuring needs no permission, but it suspends, because the answers come from the keeper and from
// a script.
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
      effect->fail(
          Status::error("not_running", "Process \"" + of.id() + "\" has no live processes"),
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
