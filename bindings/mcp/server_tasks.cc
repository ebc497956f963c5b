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

Fault lacks_tasks(std::string message) {
  return Fault{
      kMissingCapability, std::move(message),
      Json{{"requiredCapabilities", {{"extensions", {{kTasksExtension, Json::object()}}}}}}};
}

}  // namespace

// When the call becomes a task; Nanos::max() for never.
Nanos Server::task_time(const PendingCall& pending) const {
  const bool may = options_.tasks != nullptr && pending.era == Era::kModern && pending.can.tasks &&
                   pending.kind == CallKind::kTool;
  if (!may || pending.task_use.kind == TaskUse::Kind::kNever) return Nanos::max();
  const Nanos required =
      pending.task_use.kind == TaskUse::Kind::kRequired ? Nanos{0} : options_.task_after;
  const Nanos after = pending.task_use.after ? Nanos(*pending.task_use.after) : required;
  return clock_.now() + std::max(after, kLeastTaskTime);
}

// Answers the request of the call with a task. False: it has none, and goes on as it is.
bool Server::make_task(const std::shared_ptr<PendingCall>& pending) {
  if (pending->task_at == Nanos::max() || !pending->state.empty()) return false;
  pending->task_at = Nanos::max();
  Task* const task =
      options_.tasks->add(options_.client, pending->tool, pending->call, pending->can, pending);
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

// Answers the request itself, and returns null, when it names no task of this client.
Task* Server::task_of(const Request& request, const Envelope& envelope) {
  if (options_.tasks == nullptr) {
    refuse(request.id, kMethodNotFound, "Method not found: " + request.method);
    return nullptr;
  }
  if (!envelope.can.tasks) {
    const std::string message =
        std::string("The request does not declare the extension ") + kTasksExtension;
    send(error_response(request.id, lacks_tasks(message)), {&request.id, true, kMissingCapability});
    return nullptr;
  }
  const std::string* id = find_text(request.params, "taskId");
  if (id == nullptr) {
    refuse(request.id, kInvalidParams, "taskId must be a string: the task");
    return nullptr;
  }
  Task* const task = options_.tasks->find(options_.client, *id);
  if (task == nullptr) {
    refuse(request.id, kInvalidParams,
           "There is no such task: it is unknown, or was over and has been forgotten");
  }
  return task;
}

void Server::get_task(const Request& request, const Envelope& envelope) {
  const Task* const task = task_of(request, envelope);
  if (task != nullptr) answer(request, modern_.result(options_.tasks->describe(*task, true)));
}

// What belongs to no open question is ignored: it may have been answered elsewhere meanwhile.
void Server::update_task(const Request& request, const Envelope& envelope) {
  Task* const task = task_of(request, envelope);
  if (task == nullptr) return;
  const Json* responses = find_member(request.params, "inputResponses");
  if (responses == nullptr || !responses->is_object()) {
    refuse(request.id, kInvalidParams, "inputResponses must be an object");
    return;
  }
  options_.tasks->answer(*task, *responses);
  answer(request, modern_.result(Json::object()));
}

void Server::cancel_task(const Request& request, const Envelope& envelope) {
  Task* const task = task_of(request, envelope);
  if (task == nullptr) return;
  options_.tasks->cancel(*task);
  answer(request, modern_.result(Json::object()));
}

// Adds the tasks that a subscription may name. False: the request was refused.
bool Server::honour_tasks(const Request& request, const Envelope& envelope, const Json& wanted,
                          Honoured* honoured) {
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
    if (options_.tasks->find(options_.client, text) != nullptr) honoured->tasks.insert(text);
  }
  return true;
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
