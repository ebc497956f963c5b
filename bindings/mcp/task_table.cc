// See task_table.h.
#include "bindings/mcp/task_table.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

#include "bindings/mcp/tool_result.h"
#include "bindings/stdio/question_text.h"
#include "runtime/base/random_id.h"

namespace gibbous::mcp {
namespace {

constexpr Millis kPollInterval{1'000};

// ISO 8601, in UTC.
std::string time_text(Millis wall) {
  constexpr int kMillisOfSecond = 1'000;
  const auto seconds = static_cast<std::time_t>(wall.count() / kMillisOfSecond);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> date{};
  const std::size_t length = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ",
                static_cast<int>(wall.count() % kMillisOfSecond));
  return std::string(date.data(), length) + fraction.data();
}

AskAnswer unasked(std::string why) {
  AskAnswer answer;
  answer.no_approver = true;
  answer.reason = std::move(why);
  return answer;
}

}  // namespace

const char* task_status_name(TaskStatus status) {
  switch (status) {
    case TaskStatus::kWorking:
      return "working";
    case TaskStatus::kInputRequired:
      return "input_required";
    case TaskStatus::kCompleted:
      return "completed";
    case TaskStatus::kFailed:
      return "failed";
    case TaskStatus::kCancelled:
      return "cancelled";
  }
  return "";
}

std::optional<TaskStatus> task_status(std::string_view name) {
  for (const TaskStatus status :
       {TaskStatus::kWorking, TaskStatus::kInputRequired, TaskStatus::kCompleted,
        TaskStatus::kFailed, TaskStatus::kCancelled}) {
    if (name == task_status_name(status)) return status;
  }
  return std::nullopt;
}

TaskTable::TaskTable(ToolsBackend& backend, const Clock& clock, bool structured, TaskLimits limits)
    : backend_(backend), clock_(clock), structured_(structured), limits_(limits) {}

TaskTable::~TaskTable() = default;

Task* TaskTable::add(Made made) {
  forget();
  const auto going = std::count_if(calls_.begin(), calls_.end(), [&](const auto& each) {
    return each.second->owner == made.owner;
  });
  if (closed_ || static_cast<std::size_t>(going) >= limits_.going) return nullptr;
  auto task = std::make_unique<Task>();
  // 144 random bits.
  task->id = random_id() + random_id() + random_id();
  task->owner = std::move(made.owner);
  task->tool = std::move(made.tool);
  if (made.arguments.size() <= limits_.arguments_bytes) task->arguments = std::move(made.arguments);
  task->began = made.began;
  task->call = made.call;
  task->can = made.can;
  task->waiter = std::move(made.waiter);
  task->created = clock_.wall();
  task->updated = task->created;
  return insert(std::move(task));
}

Task* TaskTable::insert(std::unique_ptr<Task> task) {
  Task* const kept = task.get();
  if (kept->call != 0) calls_[kept->call] = kept;
  tasks_[kept->id] = std::move(task);
  keep(*kept);
  return kept;
}

// What the process leaves to the next one, however it ends.
void TaskTable::keep(const Task& task) {
  TaskRecord record;
  record.id = task.id;
  record.owner = task.owner;
  record.tool = task.tool;
  record.arguments = task.arguments;
  record.message = task.message;
  record.outcome = task.outcome;
  record.began_at = task.began.count();
  record.created_at = task.created.count();
  record.updated_at = task.updated.count();
  if (task.is_over()) {
    record.status = task_status_name(task.status);
    record.finished_at = task.updated.count();
  }
  if (record.outcome.size() > limits_.recorded_bytes) {
    Json body =
        oversized_result(task.tool, record.outcome.size(), limits_.recorded_bytes, "journals");
    body["resultType"] = "complete";
    record.outcome = to_text(body);
  }
  backend_.keep_task(std::move(record));
}

Task* TaskTable::find(const std::string& owner, const std::string& id) {
  forget();
  const auto found = tasks_.find(id);
  return found == tasks_.end() || found->second->owner != owner ? nullptr : found->second.get();
}

Task* TaskTable::of_call(CallId call) {
  const auto found = calls_.find(call);
  return found == calls_.end() ? nullptr : found->second;
}

void TaskTable::finish(Task& task, const CallResult& result) {
  if (task.is_over() || closed_) return;
  drop_questions(task, "the call has ended");
  if (!result.ok && result.code == "cancelled") {
    task.message = stdio::printable(error_text(result), limits_.message_bytes);
    return end(task, TaskStatus::kCancelled, "");
  }
  // The script itself is broken, or the runtime ends: no tool has answered.
  if (!result.ok && (result.code == "script_error" || result.code == "shutdown")) {
    const Json error{{"code", static_cast<int>(kInternalError)},
                     {"message", error_text(result).substr(0, limits_.error_bytes)}};
    return end(task, TaskStatus::kFailed, to_text(error));
  }
  Json body = tool_result(result, structured_);
  body["resultType"] = "complete";
  std::string text = to_text(body);
  if (text.size() > limits_.result_bytes) {
    body = oversized_result(task.tool, text.size(), limits_.result_bytes);
    body["resultType"] = "complete";
    text = to_text(body);
  }
  end(task, TaskStatus::kCompleted, std::move(text));
}

void TaskTable::report(Task& task, const Progress& progress) {
  if (task.is_over() || progress.message.empty()) return;
  task.message = stdio::printable(progress.message, limits_.message_bytes);
  task.updated = clock_.wall();
}

void TaskTable::repeat_with(Task& task, const std::string& arguments) {
  if (task.is_over() || closed_ || task.arguments.empty()) return;
  task.arguments = arguments.size() <= limits_.arguments_bytes ? arguments : std::string();
  keep(task);
}

void TaskTable::cancel(Task& task) {
  if (task.is_over() || closed_) return;
  const CallId call = task.call;
  drop_questions(task, "the call was cancelled");
  task.message = "cancelled by the client";
  end(task, TaskStatus::kCancelled, "");
  if (call != 0) backend_.cancel(call);
}

Status TaskTable::answer(Task& task, const Json& responses) {
  if (task.is_over() || closed_) return {};
  for (const auto& [key, response] : responses.items()) {
    const auto question = task.questions.find(key);
    if (question == task.questions.end()) continue;
    const Status fits = question->second.check(response);
    if (fits) continue;
    return Status::error(fits.code(), "inputResponses." + key + ": " +
                                          stdio::printable(fits.message(), limits_.error_bytes));
  }
  std::vector<std::pair<ClientQuestion, const Json*>> answered;
  for (const auto& [key, response] : responses.items()) {
    auto question = task.questions.extract(key);
    if (question.empty()) continue;
    task.deadlines.erase(key);
    answered.emplace_back(std::move(question.mapped()), &response);
  }
  if (answered.empty()) return {};
  changed(task);
  for (auto& [question, response] : answered) question.take(*response);
  return {};
}

bool TaskTable::take_ask(AskRequest& request) {
  Task* const task = of_call(request.call);
  if (task == nullptr || closed_) return false;
  ask(*task, ClientQuestion(std::move(request)));
  return true;
}

bool TaskTable::take_input(InputRequest& request) {
  Task* const task = of_call(request.call);
  if (task == nullptr || closed_) return false;
  ask(*task, ClientQuestion(std::move(request)));
  return true;
}

void TaskTable::ask(Task& task, ClientQuestion question) {
  if (!question.suits(task.can)) return question.give_up(unasked(question.inability()));
  const std::string key = "ask-" + std::to_string(++task.last_question);
  task.questions[key] = std::move(question);
  task.deadlines[key] = clock_.now() + limits_.answer_time;
  changed(task);
}

bool TaskTable::withdraw(const std::string& question) {
  for (const auto& [call, task] : calls_) {
    const auto found = std::find_if(task->questions.begin(), task->questions.end(),
                                    [&](const auto& each) { return each.second.id() == question; });
    if (found == task->questions.end()) continue;
    const ClientQuestion over = std::move(found->second);
    task->deadlines.erase(found->first);
    task->questions.erase(found);
    changed(*task);
    return true;
  }
  return false;
}

void TaskTable::drop_questions(Task& task, const char* why) {
  task.deadlines.clear();
  for (auto& [key, question] : std::exchange(task.questions, {})) {
    question.give_up(stdio::denial(why));
  }
}

void TaskTable::end(Task& task, TaskStatus status, std::string outcome) {
  calls_.erase(task.call);
  task.waiter.reset();
  task.status = status;
  task.outcome = std::move(outcome);
  task.ended = clock_.now();
  changed(task);
  keep(task);
  forget();
}

// A task that goes on waits for its client as long as it has questions.
void TaskTable::changed(Task& task) {
  if (!task.is_over()) {
    task.status = task.questions.empty() ? TaskStatus::kWorking : TaskStatus::kInputRequired;
  }
  task.updated = clock_.wall();
  for (TaskListener* listener : listeners_) listener->on_task(task);
}

// Those that ended first are forgotten first.
void TaskTable::forget() {
  const Nanos now = clock_.now();
  struct Kept {
    std::size_t tasks = 0;
    std::size_t bytes = 0;
  };
  std::map<std::string, Kept> kept;  // by owner
  std::multimap<Nanos, Tasks::iterator> over;
  for (auto next = tasks_.begin(); next != tasks_.end();) {
    const auto each = next++;
    const Task& task = *each->second;
    if (!task.is_over()) continue;
    if (task.ended + limits_.kept_time <= now) {
      tasks_.erase(each);
      continue;
    }
    Kept& of_owner = kept[task.owner];
    ++of_owner.tasks;
    of_owner.bytes += task.outcome.size();
    over.emplace(task.ended, each);
  }
  for (const auto& [ended, each] : over) {
    Kept& of_owner = kept[each->second->owner];
    const bool too_big = of_owner.bytes > limits_.kept_bytes && of_owner.tasks > 1;
    if (of_owner.tasks <= limits_.kept && !too_big) continue;
    --of_owner.tasks;
    of_owner.bytes -= each->second->outcome.size();
    tasks_.erase(each);
  }
}

Json TaskTable::describe(const Task& task, bool details) const {
  Json body{{"taskId", task.id},
            {"status", task_status_name(task.status)},
            {"createdAt", time_text(task.created)},
            {"lastUpdatedAt", time_text(task.updated)},
            {"ttlMs", nullptr}};
  if (!task.message.empty()) body["statusMessage"] = task.message;
  if (task.is_over()) {
    const auto kept = std::chrono::duration_cast<Millis>(limits_.kept_time);
    body["ttlMs"] = std::max(task.updated - task.created, Millis{0}).count() + kept.count();
  } else {
    body["pollIntervalMs"] = kPollInterval.count();
  }
  if (!details) return body;
  switch (task.status) {
    case TaskStatus::kInputRequired:
      for (const auto& [key, question] : task.questions) {
        body["inputRequests"][key] =
            Json{{"method", question.method()}, {"params", question.params(TitledEnum::kOneOf)}};
      }
      break;
    case TaskStatus::kCompleted:
      body["result"] = parse_json(task.outcome).value;
      break;
    case TaskStatus::kFailed:
      body["error"] = parse_json(task.outcome).value;
      break;
    case TaskStatus::kWorking:
    case TaskStatus::kCancelled:
      break;
  }
  return body;
}

void TaskTable::expire() {
  const Nanos now = clock_.now();
  std::vector<ClientQuestion> late;
  std::vector<Task*> without;
  for (const auto& [call, task] : calls_) {
    const std::size_t before = late.size();
    for (auto next = task->deadlines.begin(); next != task->deadlines.end();) {
      const auto each = next++;
      if (each->second > now) continue;
      late.push_back(std::move(task->questions.extract(each->first).mapped()));
      task->deadlines.erase(each);
    }
    if (late.size() != before) without.push_back(task);
  }
  std::vector<Found> unanswered;
  std::vector<std::uint64_t> again;
  for (auto next = lookups_.begin(); next != lookups_.end();) {
    const auto each = next++;
    if (each->second.deadline > now) continue;
    if (each->second.pauses) {
      again.push_back(each->first);
      continue;
    }
    unanswered.push_back(std::move(each->second.then));
    lookups_.erase(each);
  }
  for (const std::uint64_t number : again) ask_journal(number);
  for (const Found& then : unanswered) {
    then(Status::error("timeout", "the journal has not answered in time"));
  }
  for (Task* task : without) changed(*task);
  for (ClientQuestion& question : late) {
    question.give_up(stdio::denial("the client did not answer in time"));
  }
}

std::optional<Nanos> TaskTable::next_timeout() const {
  std::optional<Nanos> soonest;
  for (const auto& [call, task] : calls_) {
    for (const auto& [key, deadline] : task->deadlines) {
      if (!soonest || deadline < *soonest) soonest = deadline;
    }
  }
  for (const auto& [number, lookup] : lookups_) {
    if (!soonest || lookup.deadline < *soonest) soonest = lookup.deadline;
  }
  if (soonest) *soonest = std::max(*soonest - clock_.now(), Nanos{0});
  return soonest;
}

void TaskTable::shut_down() {
  if (std::exchange(closed_, true)) return;
  for (const auto& [call, task] : calls_) drop_questions(*task, "the server ended");
}

}  // namespace gibbous::mcp
