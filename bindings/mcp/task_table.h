// TaskTable: the tasks of the clients of a transport. It takes a call over from the Server that
// answered its request with a task, and keeps it when that one has gone: questions to the client,
// the result, and what is forgotten when. Owned by the transport. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bindings/mcp/backend.h"
#include "bindings/mcp/task.h"
#include "gibbous/status.h"
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
  std::size_t recorded_bytes = std::size_t{1'000} * 1024;  // of a result, in the journal
  std::size_t arguments_bytes = std::size_t{32} * 1024;    // of a call that may be made again
  std::size_t lookups = 256;                               // in the journal, at once
  Nanos lookup_time = std::chrono::seconds(5);
  Nanos end_time = std::chrono::milliseconds(300);  // for an earlier process that is ending
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

  // A call that becomes a task.
  struct Made {
    std::string owner;
    std::string tool;
    std::string arguments;  // where the call may be made again; "": it may not
    Millis began{0};        // Clock::wall()
    CallId call = 0;
    ClientAbilities can;
    std::shared_ptr<void> waiter;  // kept as long as the call goes on
  };
  // Returns null when its client has too many.
  Task* add(Made made);
  // Returns null when there is none, or when it is another client's.
  Task* find(const std::string& owner, const std::string& id);
  // Gets what find() returns, or why it cannot be known now. It must not keep the task.
  using Found = std::function<void(const Result<Task*>& found)>;
  // The same, also for tasks of earlier processes. `can`: of the client, which such a task may ask.
  // `then` comes once, now or later, unless the table ends.
  void look_up(const std::string& owner, const std::string& id, const ClientAbilities& can,
               Found then);

  // The call has ended. Releases the waiter.
  void finish(Task& task, const CallResult& result);
  void report(Task& task, const Progress& progress);
  // A later process makes the call, if it may be made again, with these arguments.
  void repeat_with(Task& task, const std::string& arguments);
  // Cancels the call and what it does. Does nothing when it is over.
  void cancel(Task& task);
  // Passes the client's answers on; unknown keys are ignored. When one of them does not fit its
  // question, fails with invalid_answer, names the field, and takes none of them.
  Status answer(Task& task, const Json& responses);

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

  struct Lookup {
    std::string id;
    std::string owner;
    ClientAbilities can;
    Found then;
    Nanos deadline{0};
    bool pauses = false;     // until the deadline, for the process that had the task to end
    bool is_second = false;  // it has paused
  };

  Task* of_call(CallId call);
  Task* insert(std::unique_ptr<Task> task);
  void keep(const Task& task);
  // task_restore.cc
  void ask_journal(std::uint64_t lookup);
  void restored(std::uint64_t lookup, const Result<std::optional<TaskRecord>>& found);
  Task* take_over(const TaskRecord& record, const ClientAbilities& can);
  void call_again(Task& task);
  void look_at_runs(const std::string& id, Found then);
  void settle_left(Task& task, const std::vector<std::string>& runs);
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
  std::map<std::uint64_t, Lookup> lookups_;
  std::uint64_t last_lookup_ = 0;
  bool closed_ = false;
  // Expires with this; the backend may answer later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::mcp
