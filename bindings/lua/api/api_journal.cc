// The table `journal`: the records of this runtime's runs, of those of other runtimes with the same
// state directory, and of earlier ones. Its functions suspend, because another thread reads the
// disk.
#include "bindings/lua/api/api_journal.h"

#include <lua.hpp>

#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/record_value.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/task.h"
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

Status no_journal() {
  return Status::error("no_journal", "nothing is recorded here");
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
    Fields fields("journal.items", options_at(state, 2));
    const std::int64_t since = fields.integer("since_seq", 0, kMaxSeqNumber).value_or(0);
    const std::int64_t limit = fields.integer("limit", 1, kMaxItems).value_or(kDefaultItems);
    const std::int64_t bytes = fields.integer("max_bytes", 1, kMaxBytes).value_or(kDefaultBytes);
    const bool cleaned = fields.flag("clean").value_or(false);
    fields.done();
    return ask_journal(state, [&](const std::shared_ptr<Effect>& effect) {
      effect->context.recording->items(
          id, static_cast<std::uint64_t>(since), static_cast<std::size_t>(limit),
          static_cast<std::size_t>(bytes), [effect, id, cleaned](Result<RecordedItems> got) {
            if (got && !may_see(*effect, got->run)) got = not_recorded(id);
            if (!got) return fail_named(*effect, got.status(), id);
            if (cleaned) clean_terminal(got->page.items);
            Json items = Json::array();
            for (const StoredItem& item : got->page.items) items.push_back(item_value(item));
            effect->answer(Json{{"run", run_record_value(got->run)},
                                {"items", std::move(items)},
                                {"next_seq", got->page.next_since},
                                {"more", got->page.more},
                                {"open", got->open}});
          });
    });
  });
}

int l_journal_runs(lua_State* state) {
  return with_wrong_use(state, [state] {
    Fields fields("journal.runs", options_at(state, 1));
    const std::string session =
        fields.text("session").value_or(Task::current(state)->call().client());
    const std::int64_t limit = fields.integer("limit", 1, kMaxRuns).value_or(kDefaultRuns);
    const bool only_queued = fields.choice("state", {"queued"}).has_value();
    fields.done();
    return ask_journal(state, [&](const std::shared_ptr<Effect>& effect) {
      effect->context.recording->runs(session, only_queued, static_cast<std::size_t>(limit),
                                      [effect](const Result<std::vector<RunRecord>>& got) {
                                        if (!got) return effect->fail(got.status());
                                        Json list = Json::array();
                                        for (const RunRecord& run : *got) {
                                          if (may_see(*effect, run))
                                            list.push_back(run_record_value(run));
                                        }
                                        effect->complete([list = std::move(list)](lua_State* to) {
                                          push_json(to, list);
                                          mark_array(to, -1);
                                          return 1;
                                        });
                                      });
    });
  });
}

// Kills a run that is queued, or that another process executes.
int l_journal_kill(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_recorded_run(state);
    Fields fields("journal.kill", options_at(state, 2));
    std::string signal = fields.text("signal").value_or("");
    fields.done();
    if (signal.rfind("SIG", 0) == 0) signal.erase(0, 3);
    if (!is_signal_word(signal))
      return luaL_error(state, "journal.kill: signal: expected a signal");
    if (context_of(state).recording == nullptr) return push_error(state, no_journal());
    PolicyRequest asked;
    asked.kind = RequestKind::kKill;
    asked.signal = signal.empty() ? "SIGTERM" : "SIG" + signal;
    asked.run = id;
    return ask_then(
        state, std::move(asked),
        [id, signal](const std::shared_ptr<Effect>& effect) {
          const auto kill = [id, signal, effect](const Result<RunRecord>& run) {
            if (effect->cancelled || effect->task.expired()) return;
            if (!run) return fail_named(*effect, run.status(), id);
            if (!may_see(*effect, *run)) return effect->fail(not_recorded(id), id);
            effect->context.worker->request_kill(
                id, signal, [effect, id](const Result<KillRequest>& request) {
                  if (!request) return fail_named(*effect, request.status(), id);
                  effect->answer(request->killed ? "killed" : "asked");
                });
          };
          Recording* recording = effect->context.recording;
          recording->when_open_soon([recording, id, kill](const Status&) {
            recording->look_up<Result<RunRecord>>(
                [id](JournalReader& reader) { return reader.run(id); }, kill);
          });
        },
        /*asks_journal=*/true);
  });
}

constexpr luaL_Reg kJournal[] = {
    {"items", l_journal_items}, {"grep", l_journal_grep},
    {"runs", l_journal_runs},   {"error_excerpt", l_journal_error_excerpt},
    {"kill", l_journal_kill},   {"queue", l_journal_queue},
};

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

int ask_journal(lua_State* state, const std::function<void(const std::shared_ptr<Effect>&)>& read) {
  Context& context = context_of(state);
  if (context.recording == nullptr) return push_error(state, no_journal());
  const auto task = Task::current(state);
  auto effect = std::make_shared<Effect>(Effect{context, task, task->completer()});
  effect->asks_journal = true;
  read(effect);
  return task->suspend(state, pending(std::move(effect)));
}

void fail_named(const Effect& effect, const Status& status, const std::string& id) {
  effect.fail(status.code() == "run_not_found" ? not_recorded(id) : status, id);
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

bool may_see(const Effect& effect, const RunRecord& run) {
  const auto task = effect.task.lock();
  return task && may_see(task->call(), run);
}

void open_journal(lua_State* state) {
  lua_newtable(state);
  for (const luaL_Reg& each : kJournal) {
    push_suspending(state, each.func, (std::string("journal.") + each.name).c_str());
    lua_setfield(state, -2, each.name);
  }
}

}  // namespace gibbous::lua
