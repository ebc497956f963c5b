// The part of the server that answers calls with tasks, for modern clients that take them. See
// server.h and task_table.h.
//
// A call becomes a task when it still goes on after a while that its tool or the program names.
// From then on the table has it: this server, which may be one exchange over HTTP, can go.
#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/json/member.h"
#include "bindings/mcp/pending_call.h"
#include "bindings/mcp/server.h"

namespace gibbous::mcp {
namespace {

// A call that ends at once is answered with its result, whatever its tool says.
constexpr Nanos kLeastTaskTime = std::chrono::milliseconds(50);
constexpr std::size_t kMostLookedUp = 256;  // tasks of earlier processes, by one subscription
// For tools whose clients take tasks in any case: soon, but after a first question.
constexpr Nanos kRequiredTaskTime = std::chrono::milliseconds(500);

Fault lacks_tasks(std::string message) {
  return Fault{
      kMissingCapability, std::move(message),
      Json{{"requiredCapabilities", {{"extensions", {{kTasksExtension, Json::object()}}}}}}};
}

std::string not_known_now(const Status& status) {
  return "Whether there is such a task cannot be found out now: " + status.message() +
         ". Ask again later";
}

}  // namespace

// When the call becomes a task; Nanos::max() for never.
Nanos Server::task_time(const PendingCall& pending) const {
  const bool may = options_.tasks != nullptr && pending.era == Era::kModern && pending.can.tasks &&
                   pending.kind == CallKind::kTool;
  if (!may || pending.task_use.kind == TaskUse::Kind::kNever) return Nanos::max();
  const Nanos required =
      pending.task_use.kind == TaskUse::Kind::kRequired ? kRequiredTaskTime : options_.task_after;
  const Nanos after = pending.task_use.after ? Nanos(*pending.task_use.after) : required;
  return clock_.now() + std::max(after, kLeastTaskTime);
}

// A call that only reads may be made again by a later process; others get "".
std::string Server::arguments_to_repeat(const PendingCall& pending) const {
  for (const ToolInfo& tool : backend_.tools()) {
    if (tool.name != pending.tool) continue;
    return tool.permission == "read" ? pending.repeat_with.value_or(pending.arguments) : "";
  }
  return "";
}

// Answers the request of the call with a task. False: it has none, and goes on as it is.
bool Server::make_task(const std::shared_ptr<PendingCall>& pending) {
  if (pending->task_at == Nanos::max() || !pending->state.empty()) return false;
  pending->task_at = Nanos::max();
  Task* const task = options_.tasks->add({.owner = options_.client,
                                          .tool = pending->tool,
                                          .arguments = arguments_to_repeat(*pending),
                                          .began = pending->began,
                                          .call = pending->call,
                                          .can = pending->can,
                                          .waiter = pending});
  if (task == nullptr) return false;
  pending->table = options_.tasks;
  pending->task = task;
  calls_.erase(id_key(pending->id));
  send(response(pending->id, modern_.task_made(options_.tasks->describe(*task, false))),
       {&pending->id, true});
  return true;
}

void Server::make_due_tasks(Nanos now) {
  std::vector<std::shared_ptr<PendingCall>> due;
  for (const auto& [key, pending] : calls_) {
    if (pending->task_at <= now) due.push_back(pending);
  }
  for (const auto& pending : due) make_task(pending);
}

// A client that does not take tasks cannot call this tool.
bool Server::refuse_without_tasks(const Request& request, const Envelope& envelope) {
  const char* const message =
      "This tool answers with tasks only, which the client does not support";
  if (envelope.era == Era::kLegacy) {
    refuse(request.id, kInvalidParams, message);
    return true;
  }
  if (options_.tasks == nullptr || envelope.can.tasks) return false;
  send(error_response(request.id, lacks_tasks(message)), {&request.id, true, kMissingCapability});
  return true;
}

// Calls `then`, now or later, unless the request was refused or is cancelled.
void Server::with_task(const Request& request, const Envelope& envelope,
                       std::function<void(Task& task)> then) {
  if (options_.tasks == nullptr) {
    return refuse(request.id, kMethodNotFound, "Method not found: " + request.method);
  }
  if (!envelope.can.tasks) {
    const std::string message =
        std::string("The request does not declare the extension ").append(kTasksExtension);
    return send(error_response(request.id, lacks_tasks(message)),
                {&request.id, true, kMissingCapability});
  }
  const std::string* task_id = find_text(request.params, "taskId");
  if (task_id == nullptr) {
    return refuse(request.id, kInvalidParams, "taskId must be a string: the task");
  }
  const std::string key = id_key(request.id);
  looking_.insert(key);
  options_.tasks->look_up(
      options_.client, *task_id, envelope.can,
      [this, key, id = request.id, then = std::move(then),
       alive = std::weak_ptr<const int>(lifetime_)](const Result<Task*>& found) {
        if (alive.expired() || closed_ || looking_.erase(key) == 0) return;
        if (!found) return refuse(id, kInternalError, not_known_now(found.status()));
        if (*found != nullptr) return then(**found);
        refuse(id, kInvalidParams,
               "There is no such task: it is unknown, or was over and has been forgotten");
      });
}

void Server::get_task(const Request& request, const Envelope& envelope) {
  with_task(request, envelope, [this, request](const Task& task) {
    answer(request, modern_.result(options_.tasks->describe(task, true)));
  });
}

// What belongs to no open question is ignored: it may have been answered elsewhere meanwhile.
void Server::update_task(const Request& request, const Envelope& envelope) {
  with_task(request, envelope, [this, request](Task& task) {
    const Json* responses = find_member(request.params, "inputResponses");
    if (responses == nullptr || !responses->is_object()) {
      return refuse(request.id, kInvalidParams, "inputResponses must be an object");
    }
    const Status taken = options_.tasks->answer(task, *responses);
    if (!taken) return refuse(request.id, kInvalidParams, taken.message());
    answer(request, modern_.result(Json::object()));
  });
}

void Server::cancel_task(const Request& request, const Envelope& envelope) {
  with_task(request, envelope, [this, request](Task& task) {
    options_.tasks->cancel(task);
    answer(request, modern_.result(Json::object()));
  });
}

// Adds the tasks that a subscription may name; `unknown` are those that this process does not know.
// False: the request was refused.
bool Server::honour_tasks(const Request& request, const Envelope& envelope, const Json& wanted,
                          Honoured* honoured, std::vector<std::string>* unknown) {
  const Json* ids = find_member(wanted, "taskIds");
  if (ids == nullptr || options_.tasks == nullptr) return true;
  if (!ids->is_array() || ids->size() > options_.max_watched) {
    refuse(request.id, kInvalidParams,
           "taskIds must be a list of at most " + std::to_string(options_.max_watched) + " tasks");
    return false;
  }
  if (!envelope.can.tasks) {
    send(error_response(request.id, lacks_tasks("taskIds needs the extension for tasks")),
         {&request.id, true, kMissingCapability});
    return false;
  }
  for (const Json& id : *ids) {
    if (!id.is_string()) continue;
    const auto& text = id.get_ref<const std::string&>();
    if (options_.tasks->find(options_.client, text) != nullptr) {
      honoured->tasks.insert(text);
    } else if (unknown->size() < kMostLookedUp &&
               std::find(unknown->begin(), unknown->end(), text) == unknown->end()) {
      unknown->push_back(text);
    }
  }
  return true;
}

// Begins the subscription once it is known which of these are tasks of earlier processes.
void Server::look_up_tasks(const Request& request, const Envelope& envelope,
                           const std::vector<std::string>& ids, Honoured honoured) {
  struct Lookup {
    Honoured honoured;
    std::size_t open = 0;
    Status failure;
  };
  const auto lookup = std::make_shared<Lookup>(Lookup{std::move(honoured), ids.size(), {}});
  const std::string key = id_key(request.id);
  looking_.insert(key);
  for (const std::string& task_id : ids) {
    options_.tasks->look_up(
        options_.client, task_id, envelope.can,
        [this, lookup, task_id, key, id = request.id,
         alive = std::weak_ptr<const int>(lifetime_)](const Result<Task*>& found) {
          if (alive.expired() || closed_) return;
          if (!found) lookup->failure = found.status();
          if (found && *found) lookup->honoured.tasks.insert(task_id);
          if (--lookup->open > 0 || looking_.erase(key) == 0) return;
          if (!lookup->failure) {
            return refuse(id, kInternalError, not_known_now(lookup->failure));
          }
          begin_listening(id, std::move(lookup->honoured));
        });
  }
}

// What has changed before the subscription would not be told again.
void Server::tell_tasks(const Subscription& subscription) {
  for (const std::string& id : subscription.wanted.tasks) {
    const Task* const task = options_.tasks->find(options_.client, id);
    if (task == nullptr || task->status == TaskStatus::kWorking) continue;
    send(modern_.task_changed(subscription.id, options_.tasks->describe(*task, true)),
         {&subscription.id});
  }
}

void Server::on_task(const Task& task) {
  for (const auto& [key, subscription] : subscriptions_) {
    if (subscription.wanted.tasks.count(task.id) == 0) continue;
    send(modern_.task_changed(subscription.id, options_.tasks->describe(task, true)),
         {&subscription.id});
  }
}

}  // namespace gibbous::mcp
