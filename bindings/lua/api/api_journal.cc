// The table `journal`: the records of this runtime's runs, of those of other runtimes with the same
// state directory, and of earlier ones. Its functions suspend, because the pool reads the disk.
#include "bindings/lua/api/api_journal.h"

#include <lua.hpp>

#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/api_grep.h"
#include "bindings/lua/api/record_value.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/policy/refusal.h"
#include "runtime/output/text.h"
#include "runtime/queue/worker.h"
#include "runtime/recording/recording.h"

namespace gibbous::lua {
namespace {

constexpr std::int64_t kDefaultItems = 200;
constexpr std::int64_t kMaxItems = 10'000;
constexpr std::int64_t kDefaultBytes = std::int64_t{64} << 10;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 20;
constexpr std::int64_t kDefaultRuns = 50;
constexpr std::int64_t kMaxRuns = 1000;
constexpr std::int64_t kMaxSeqNumber = std::int64_t{1} << 32;

Recording* recording_of(lua_State* state) {
  return context_of(state).recording;
}

int nothing_recorded(lua_State* state) {
  return push_error(state, no_journal());
}

// Cleans the text as a person would see it. A sequence that is cut between two items is left to the
// second one.
void clean_terminal(std::vector<StoredItem>& items) {
  std::string rest;
  for (StoredItem& item : items) {
    if (item.type != ItemType::kTerminal) continue;
    const std::string raw = std::exchange(rest, {}) + item.payload;
    const bool last = &item == &items.back();
    const std::size_t tail = last ? 0 : incomplete_escape_tail(raw);
    const std::string_view whole = std::string_view(raw).substr(0, raw.size() - tail);
    item.payload = clean(whole);
    rest = raw.substr(whole.size());
  }
}

int l_journal_items(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_recorded_run(state);
    Fields fields("journal.items", lua_isnoneornil(state, 2) ? Json::object() : to_json(state, 2));
    const std::int64_t since = fields.integer("since_seq", 0, kMaxSeqNumber).value_or(0);
    const std::int64_t limit = fields.integer("limit", 1, kMaxItems).value_or(kDefaultItems);
    const std::int64_t bytes = fields.integer("max_bytes", 1, kMaxBytes).value_or(kDefaultBytes);
    const bool cleaned = fields.flag("clean").value_or(false);
    fields.done();
    Recording* recording = recording_of(state);
    if (recording == nullptr) return nothing_recorded(state);
    const auto task = Task::current(state);
    recording->items(id, static_cast<std::uint64_t>(since), static_cast<std::size_t>(limit),
                     static_cast<std::size_t>(bytes),
                     [id, cleaned, complete = task->completer(),
                      owner = std::weak_ptr<Task>(task)](Result<RecordedItems> got) {
                       const auto asker = owner.lock();
                       if (got && asker && !may_see(asker->call(), got->run))
                         got = not_recorded(id);
                       if (!got) {
                         complete([status = named_run_error(got.status(), id), id](lua_State* to) {
                           return push_error(to, status, id);
                         });
                         return;
                       }
                       if (cleaned) clean_terminal(got->page.items);
                       Json items = Json::array();
                       for (const StoredItem& item : got->page.items)
                         items.push_back(item_value(item));
                       complete([answer = Json{{"run", run_record_value(got->run)},
                                               {"items", std::move(items)},
                                               {"next_seq", got->page.next_since},
                                               {"more", got->page.more},
                                               {"open", got->open}}](lua_State* to) {
                         push_json(to, answer);
                         return 1;
                       });
                     });
    return task->suspend(state, std::make_unique<PendingQuestion>(context_of(state)));
  });
}

int l_journal_runs(lua_State* state) {
  return with_wrong_use(state, [state] {
    Fields fields("journal.runs", lua_isnoneornil(state, 1) ? Json::object() : to_json(state, 1));
    const auto task = Task::current(state);
    const std::string session = fields.text("session").value_or(task->call().client());
    const std::int64_t limit = fields.integer("limit", 1, kMaxRuns).value_or(kDefaultRuns);
    const bool only_queued = fields.choice("state", {"queued"}).has_value();
    fields.done();
    Recording* recording = recording_of(state);
    if (recording == nullptr) return nothing_recorded(state);
    recording->runs(
        session, only_queued, static_cast<std::size_t>(limit),
        [complete = task->completer(),
         owner = std::weak_ptr<Task>(task)](Result<std::vector<RunRecord>> got) {
          const auto asker = owner.lock();
          if (!got) {
            complete([status = got.status()](lua_State* to) { return push_error(to, status); });
            return;
          }
          Json list = Json::array();
          for (const RunRecord& run : *got) {
            if (asker && may_see(asker->call(), run)) list.push_back(run_record_value(run));
          }
          complete([list = std::move(list)](lua_State* to) {
            push_json(to, list);
            mark_array(to, -1);
            return 1;
          });
        });
    return task->suspend(state, std::make_unique<PendingQuestion>(context_of(state)));
  });
}

// Kills a run that is queued, or that another process executes.
int l_journal_kill(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_recorded_run(state);
    Fields fields("journal.kill", lua_isnoneornil(state, 2) ? Json::object() : to_json(state, 2));
    std::string signal = fields.text("signal").value_or("");
    fields.done();
    if (signal.rfind("SIG", 0) == 0) signal.erase(0, 3);
    if (!is_signal_word(signal))
      return luaL_error(state, "journal.kill: signal: expected a signal");
    Context& context = context_of(state);
    if (context.recording == nullptr) return nothing_recorded(state);
    const auto task = Task::current(state);
    PolicyRequest asked;
    asked.kind = RequestKind::kKill;
    asked.signal = signal.empty() ? "SIGTERM" : "SIG" + signal;
    asked.run = id;
    auto question = std::make_unique<PendingQuestion>(context);
    question->withdraw = context.engine->ask(
        task->call(), std::move(asked),
        [id, signal, &context, complete = task->completer(), cancelled = question->cancelled,
         owner = std::weak_ptr<Task>(task)](const Verdict& verdict) {
          if (verdict.decision != Verdict::Decision::kAllow) {
            complete([status = refused_effect(RequestKind::kKill, verdict), id](lua_State* to) {
              return push_error(to, status, id);
            });
            return;
          }
          const auto fail = [id, complete](const Status& status) {
            complete([status = named_run_error(status, id), id](lua_State* to) {
              return push_error(to, status, id);
            });
          };
          const auto kill = [id, signal, &context, complete, fail, cancelled,
                             owner](const Result<RunRecord>& run) {
            const auto asker = owner.lock();
            if (!asker || *cancelled) return;
            if (!run) return fail(run.status());
            if (!may_see(asker->call(), *run)) return fail(not_recorded(id));
            context.worker->request_kill(id, signal,
                                         [complete, fail](const Result<KillRequest>& asked) {
                                           if (!asked) return fail(asked.status());
                                           complete([killed = asked->killed](lua_State* to) {
                                             lua_pushstring(to, killed ? "killed" : "asked");
                                             return 1;
                                           });
                                         });
          };
          context.recording->when_open_soon([id, &context, kill](const Status&) {
            context.recording->look_up<Result<RunRecord>>(
                [id](JournalReader& reader) { return reader.run(id); }, kill);
          });
        });
    return task->suspend(state, std::move(question));
  });
}

}  // namespace

std::string check_recorded_run(lua_State* state) {
  if (lua_istable(state, 1)) {
    lua_getfield(state, 1, "id");
    lua_replace(state, 1);
  }
  std::size_t length = 0;
  const char* id = luaL_checklstring(state, 1, &length);
  return {id, length};
}

Status named_run_error(const Status& status, const std::string& id) {
  if (status.code() != "run_not_found") return status;
  return not_recorded(id);
}

Status not_recorded(const std::string& id) {
  return Status::error("run_not_found", "Run \"" + id + "\" was never recorded here");
}

bool may_see(Call& call, const RunRecord& run) {
  if (!call.owns(run.client)) return false;
  if (call.is_internal() || !call.client().empty()) return true;
  const Worker* worker = call.engine().context().worker;
  const bool active =
      run.status == to_string(RunState::kStarting) || run.status == to_string(RunState::kRunning);
  return !active || worker == nullptr || run.owner.empty() || run.owner == worker->id();
}

void open_journal(lua_State* state) {
  lua_newtable(state);
  push_suspending(state, l_journal_items, "journal.items");
  lua_setfield(state, -2, "items");
  push_suspending(state, l_journal_grep, "journal.grep");
  lua_setfield(state, -2, "grep");
  push_suspending(state, l_journal_error_excerpt, "journal.error_excerpt");
  lua_setfield(state, -2, "error_excerpt");
  push_suspending(state, l_journal_runs, "journal.runs");
  lua_setfield(state, -2, "runs");
  push_suspending(state, l_journal_kill, "journal.kill");
  lua_setfield(state, -2, "kill");
  push_suspending(state, l_journal_queue, "journal.queue");
  lua_setfield(state, -2, "queue");
}

}  // namespace gibbous::lua
