// run.queue: puts a run into the journal's queue, once for each request_id, and answers when it is
// on disk. Used by api_run.cc. Loop thread only.
#include <lua.hpp>

#include <chrono>
#include <string>
#include <utility>

#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/api/api_run_start.h"
#include "bindings/lua/api/queued_start.h"
#include "bindings/lua/api/run_effect.h"
#include "bindings/lua/api/run_value.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/policy/policy_program.h"
#include "bindings/lua/policy/redaction_record.h"
#include "runtime/base/random_id.h"
#include "runtime/queue/worker.h"
#include "runtime/recording/recording.h"
#include "runtime/runs/describe.h"

namespace gibbous::lua {
namespace {

// Everything the queue needs to start it, here or in another process.
RunRecord queue_record(const StartOptions& options, Json asked, Call& call) {
  const RunSpec& spec = options.spec;
  for (const char* key : {"safe_to_repeat", "session", "request_id", "priority", "max_attempts"})
    asked.erase(key);
  asked["detach"] = true;
  RunRecord record;
  record.run_id = random_id();
  record.client = call.client();
  record.session_id = options.session.empty() ? call.session() : options.session;
  record.request_id = options.request_id;
  record.command = spec.argv.empty() ? spec.command : quote_argv(spec.argv);
  record.background = spec.background;
  record.pty = spec.terminal.has_value();
  if (spec.timeout) {
    record.timeout_secs = std::chrono::ceil<std::chrono::seconds>(*spec.timeout).count();
  }
  record.max_output_bytes = static_cast<std::int64_t>(spec.max_output_bytes.value_or(0));
  record.watch_json = spec.watch_json;
  record.safe_to_repeat = options.safe_to_repeat;
  record.priority = options.priority;
  record.max_attempts = options.max_attempts;
  const Context& context = call.engine().context();
  const PolicyProgram& policy = call.engine().current()->policy();
  Json meta = {{kQueuedStartVersionMember, kQueuedStartVersion},
               {"tool", call.tool().name},
               {"start", portable_start(std::move(asked), options, context)},
               {"queued", queued_place_value(context, policy, call.engine().mode())}};
  if (!spec.label.empty()) meta["label"] = spec.label;
  if (!spec.cwd.empty()) meta["cwd"] = spec.cwd;
  Json redaction = redaction_record(Json(), &policy);
  if (!redaction.is_null()) meta[kRedactionMember] = std::move(redaction);
  record.meta_json = to_text(meta);
  return record;
}

// Answers with the run that an earlier call started with the same request_id; when there is none,
// fails with `why` this run was not queued.
void answer_with_earlier_run(const std::shared_ptr<Effect>& effect, const RunRecord& record,
                             const Status& why) {
  effect->context.recording->look_up<Result<RunRecord>>(
      [client = record.client, id = record.request_id](JournalReader& reader) {
        return reader.run_of_request(client, id);
      },
      [effect, why, command = record.command](const Result<RunRecord>& earlier) {
        if (!earlier) return effect->fail(why);
        if (earlier->command != command) {
          return effect->fail(
              Status::error("invalid_arguments",
                            "request_id: run " + earlier->run_id +
                                " has it already, with another command: " + earlier->command));
        }
        effect->answer(
            Json{{"id", earlier->run_id}, {"state", state_of(*earlier)}, {"repeated", true}});
      });
}

void queue_run(const std::shared_ptr<Effect>& effect, const StartOptions& options,
               const Json& asked) {
  const auto task = effect->task.lock();
  if (!task) return;
  Context& context = effect->context;
  const RunRecord record = queue_record(options, asked, task->call());
  const std::string& id = record.run_id;
  if (const std::string& approved = task->call().approved_command(); !approved.empty()) {
    context.approved_in_queue[id] = approved;
  }
  effect->on_cancel = [&context, id] { context.worker->cancel_enqueue(id); };
  context.worker->enqueue(record, [effect, &context, record](const Status& status) {
    if (status) return effect->answer(Json{{"id", record.run_id}, {"state", "queued"}});
    context.approved_in_queue.erase(record.run_id);
    if (record.request_id.empty()) return effect->fail(status);
    answer_with_earlier_run(effect, record, status);
  });
}

}  // namespace

int l_run_queue(lua_State* state) {
  return with_wrong_use(state, [state] {
    const StartOptions options = check_start(state, true);
    if (const Status good = check_names(options, context_of(state)); !good) {
      return push_error(state, good);
    }
    if (context_of(state).recording == nullptr) {
      return push_error(state, Status::error("no_journal", "nothing is recorded here"));
    }
    const Json asked = to_json(state, 1);
    return ask_then(state, start_request(options, context_of(state), nullptr),
                    [options, asked](const std::shared_ptr<Effect>& effect) {
                      queue_run(effect, options, asked);
                    });
  });
}

}  // namespace gibbous::lua
