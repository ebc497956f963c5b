// TaskTable: the tasks of the clients of a transport. It takes a call over from the Server that
// answered its request with a task, and keeps it when that one has gone: questions to the client,
// the result, and what is forgotten when. Owned by the transport. Loop thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "bindings/mcp/backend.h"
#include "bindings/mcp/task.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp {

struct TaskLimits {
  std::size_t going = 256;  // of one client; further calls are answered with their results
  std::size_t kept = 256;   // of one client, that are over
  std::size_t kept_bytes = std::size_t{32} * 1024 * 1024;  // their results; the last one stays
  Nanos kept_time = std::chrono::hours(24);                // after the end
  Nanos answer_time = std::chrono::hours(1);               // for the client, to answer a question
  std::size_t message_bytes = 500;                         // of statusMessage
  std::size_t error_bytes = 8'000;                         // the message of an error
  std::size_t result_bytes = std::size_t{9} * 1024 * 1024;
};

// Is told of tasks that have changed.
class TaskListener {
 public:
  virtual ~TaskListener() = default;
  virtual void on_task(const Task& task) = 0;
};

class TaskTable {
 public:
  // `backend` and `clock` must outlive the table. `structured`: ServerOptions::structured.
  TaskTable(ToolsBackend& backend, const Clock& clock, bool structured, TaskLimits limits = {});
  ~TaskTable();
  TaskTable(const TaskTable&) = delete;
  TaskTable& operator=(const TaskTable&) = delete;

  // Makes a task of a call. Returns null when its client has too many. `waiter` is kept as long as
  // the call goes on.
  Task* add(const std::string& owner, const std::string& tool, CallId call,
            const ClientAbilities& can, std::shared_ptr<void> waiter);
  // Returns null when there is none, or when it is another client's.
  Task* find(const std::string& owner, const std::string& id);

  // The call has ended. Releases the waiter.
  void finish(Task& task, const CallResult& result);
  void report(Task& task, const Progress& progress);
  // Cancels the call and what it does. Does nothing when it is over.
  void cancel(Task& task);
  // Passes the client's answers on; unknown keys are ignored.
  void answer(Task& task, const Json& responses);

  // Has the client asked, if it can be.
  void ask(Task& task, ClientQuestion question);
  // The question is taken if it is about a task; otherwise it is left as it is.
  bool take_ask(AskRequest& request);
  bool take_input(InputRequest& request);
  bool withdraw(const std::string& question);

  // The members of a task as they are sent; `details`: with its result, its error or its questions.
  Json describe(const Task& task, bool details) const;

  void listen(TaskListener& listener) { listeners_.insert(&listener); }
  void unlisten(TaskListener& listener) { listeners_.erase(&listener); }

  // Gives up questions that the client has not answered in time; next_timeout() says when.
  void expire();
  std::optional<Nanos> next_timeout() const;
  // The server ends. Nothing is reported afterwards.
  void shut_down();

 private:
  using Tasks = std::map<std::string, std::unique_ptr<Task>>;  // by id

  Task* of_call(CallId call);
  void drop_questions(Task& task, const char* why);
  void end(Task& task, TaskStatus status, std::string outcome);
  void changed(Task& task);
  void forget();

  ToolsBackend& backend_;
  const Clock& clock_;
  const bool structured_;
  const TaskLimits limits_;
  Tasks tasks_;
  std::map<CallId, Task*> calls_;
  std::set<TaskListener*> listeners_;
  bool closed_ = false;
};

}  // namespace gibbous::mcp
