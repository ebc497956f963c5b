// The part of the table that brings back tasks of earlier processes, from the journal. See
// task_table.h.
//
// A task that was over is there again. One whose call only reads is taken up again: the same call,
// under the same id. Any other one is lost: it goes on as long as a run that its call may have
// started does, and then says what became of them.
#include <algorithm>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/mcp/task_table.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::mcp {
namespace {

constexpr std::size_t kMaxTaskIdBytes = 256;
constexpr std::size_t kMaxRunsTold = 20;
constexpr std::size_t kMaxRunCommandBytes = 200;

std::string run_line(const Json& info) {
  std::string line = "\n" + text_member(info, "id") + " (" + text_member(info, "state");
  if (const std::string reason = text_member(info, "reason"); !reason.empty())
    line += ", " + reason;
  return line + "): " + stdio::printable(text_member(info, "command"), kMaxRunCommandBytes);
}

}  // namespace

void TaskTable::look_up(const std::string& owner, const std::string& id, const ClientAbilities& can,
                        Found then) {
  Task* const task = find(owner, id);
  if (task != nullptr && task->left && !task->is_over()) return look_at_runs(id, std::move(then));
  const bool unknown = task == nullptr && tasks_.count(id) == 0;
  if (!unknown || closed_ || id.empty() || id.size() > kMaxTaskIdBytes) return then(task);
  if (lookups_.size() >= limits_.lookups) {
    return then(Status::error("busy", "too many requests wait for the journal"));
  }
  const std::uint64_t number = ++last_lookup_;
  lookups_[number] = Lookup{id, owner, can, std::move(then)};
  ask_journal(number);
}

void TaskTable::ask_journal(std::uint64_t number) {
  Lookup& lookup = lookups_.at(number);
  lookup.deadline = clock_.now() + limits_.lookup_time;
  lookup.pauses = false;
  backend_.find_task(lookup.id, [this, number, alive = std::weak_ptr<const int>(lifetime_)](
                                    const Result<std::optional<TaskRecord>>& found) {
    if (!alive.expired()) restored(number, found);
  });
}

void TaskTable::restored(std::uint64_t number, const Result<std::optional<TaskRecord>>& found) {
  auto lookup = lookups_.extract(number);
  if (lookup.empty() || closed_) return;
  const Found& then = lookup.mapped().then;
  if (!found) return then(found.status());
  const std::optional<TaskRecord>& record = *found;
  const std::string& owner = lookup.mapped().owner;
  if (!record || record->owner != owner) return then(nullptr);
  // Another request may have brought it back meanwhile.
  if (Task* const task = find(owner, record->id)) return then(task);
  // It was forgotten here, or its client's token was removed meanwhile.
  if (record->is_own) return then(nullptr);
  if (record->host_lives) {
    // It is another copy's of the same program, or of one that is about to end.
    if (lookup.mapped().is_second) return then(nullptr);
    lookup.mapped().is_second = true;
    lookup.mapped().pauses = true;
    lookup.mapped().deadline = clock_.now() + limits_.end_time;
    lookups_.insert(std::move(lookup));
    return;
  }
  Task* const task = take_over(*record, lookup.mapped().can);
  if (!task->left) return then(task);
  look_at_runs(task->id, then);
}

Task* TaskTable::take_over(const TaskRecord& record, const ClientAbilities& can) {
  auto task = std::make_unique<Task>();
  task->id = record.id;
  task->owner = record.owner;
  task->tool = record.tool;
  task->can = can;
  task->arguments = record.arguments;
  task->message = record.message;
  task->began = Millis(record.began_at);
  task->created = Millis(record.created_at);
  task->updated = Millis(record.updated_at);
  Task* const kept = task.get();
  if (record.finished_at != 0) {
    task->status = task_status(record.status).value_or(TaskStatus::kFailed);
    task->outcome = record.outcome;
    task->ended = clock_.now();
    tasks_[kept->id] = std::move(task);
    return kept;
  }
  task->left = record.arguments.empty();
  if (!task->left) call_again(*task);
  return insert(std::move(task));
}

// It is a new call for the policy and for the session's record.
void TaskTable::call_again(Task& task) {
  struct Waiter {
    TaskTable* table;
    std::string id;
  };
  const auto waiter = std::make_shared<Waiter>(Waiter{this, task.id});
  task.waiter = waiter;
  task.message = "its server was restarted, and the call was made again";
  // The keys of its questions begin behind all that the earlier process can have given.
  task.last_question = static_cast<std::uint64_t>(std::max(clock_.wall(), Millis{0}).count());
  CallRequest request;
  request.tool = task.tool;
  request.arguments = task.arguments;
  request.wants_backlog = true;
  request.wants_progress = true;
  const auto reported = [held = std::weak_ptr(waiter)](const auto& pass) {
    const std::shared_ptr<Waiter> current = held.lock();
    if (current == nullptr) return;
    const auto found = current->table->tasks_.find(current->id);
    if (found != current->table->tasks_.end()) pass(*current->table, *found->second);
  };
  request.on_repeat_with = [reported](const std::string& arguments) {
    reported([&](TaskTable& table, Task& of) { table.repeat_with(of, arguments); });
  };
  task.call = backend_.call(
      std::move(request),
      [reported](const CallResult& result) {
        reported([&](TaskTable& table, Task& of) { table.finish(of, result); });
      },
      [reported](const Progress& progress) {
        reported([&](TaskTable& table, Task& of) { table.report(of, progress); });
      });
}

void TaskTable::look_at_runs(const std::string& id, Found then) {
  backend_.list_runs(
      [this, id, then = std::move(then),
       alive = std::weak_ptr<const int>(lifetime_)](const std::vector<std::string>& runs) {
        if (alive.expired()) return;
        const auto found = tasks_.find(id);
        if (found == tasks_.end()) return then(nullptr);
        if (!found->second->is_over()) settle_left(*found->second, runs);
        then(found->second.get());
      });
}

// Runs of its client that began during its call may be its own.
void TaskTable::settle_left(Task& task, const std::vector<std::string>& runs) {
  std::string lines;
  std::string going;
  std::size_t told = 0;
  for (const std::string& run : runs) {
    const Json info = parse_json(run).value;
    const Json* created = find_member(info, "created_ms");
    const bool since = created != nullptr && created->is_number() &&
                       created->get<double>() >= static_cast<double>(task.began.count()) &&
                       created->get<double>() <= static_cast<double>(task.created.count());
    if (!since) continue;
    if (find_member(info, "ended_ms") == nullptr) going = text_member(info, "id");
    if (++told <= kMaxRunsTold) lines += run_line(info);
  }
  if (!going.empty()) {
    task.message = "its server was restarted; run " + going + " goes on";
    task.updated = clock_.wall();
    return;
  }
  const std::string text = "The server that carried out this call of " + task.tool +
                           " ended before the call did, so that its result is lost. " +
                           (lines.empty() ? "It is not known to have started a process."
                                          : "What it may have started has ended:" + lines);
  const Json body{{"content", Json::array({Json{{"type", "text"}, {"text", text}}})},
                  {"isError", true},
                  {"resultType", "complete"},
                  {"_meta", {{"gibbous/errorCode", "task_lost"}}}};
  end(task, TaskStatus::kCompleted, to_text(body));
}

}  // namespace gibbous::mcp
