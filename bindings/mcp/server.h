// Server: the MCP tools server. It reads and writes lines and supports both eras on one connection,
// decided for each request. It knows neither file descriptors nor a Runtime: a transport feeds it
// and sends its messages, and a ToolsBackend does the work. Loop thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/mcp/backend.h"
#include "bindings/mcp/elicitation.h"
#include "bindings/mcp/messages.h"
#include "bindings/mcp/output_watch.h"
#include "bindings/mcp/protocol.h"
#include "bindings/mcp/task_table.h"
#include "bindings/mcp/tool_list.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp {

class ClientQuestion;

// What a message belongs to, for transports that have a stream for each request.
struct About {
  const Json* request = nullptr;  // the id of a request of the client; null: none in particular
  bool ends = false;              // it answers that request
  int error = 0;                  // the code of an error that does
};

// Takes outgoing messages, each one line without its end.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  virtual void send(std::string message) = 0;
  // What the server calls. `about` is valid during the call only.
  virtual void send_about(std::string message, const About& about) {
    static_cast<void>(about);
    send(std::move(message));
  }
  // The client does not keep up, so optional messages (progress, log) should not be sent now.
  virtual bool congested() const = 0;
};

// The longest line that clients accept. Their read buffers hold 10 MiB, including up to one read
// (64 KiB) of what follows the line.
inline constexpr std::size_t kMaxOutgoingLineBytes =
    std::size_t{10} * 1024 * 1024 - std::size_t{64} * 1024;

struct ServerOptions {
  std::string version;                 // of the program, for serverInfo
  std::size_t max_calls = 1024;        // in flight at once
  std::size_t max_subscriptions = 64;  // open at once
  std::size_t max_watched = 1000;      // resources of one subscription
  std::size_t max_line_bytes = kMaxOutgoingLineBytes;
  bool structured = false;  // for programs: results have structuredContent
  PageLimits page;
  // A modern client may take this long to answer; then the call is cancelled.
  Nanos answer_time = std::chrono::minutes(10);
  bool asks_client = true;   // false: the policy's questions are not for the client
  std::string state_prefix;  // every requestState begins with it
  // Null: calls are not answered with tasks. Else it must outlive the server.
  TaskTable* tasks = nullptr;
  std::string client;  // whose tasks these are, also after a restart
  // A call that goes on for longer becomes a task, unless its tool says otherwise.
  Nanos task_after = kTaskAfter;
};

class Server final : private TaskListener {
 public:
  // `backend`, `sink` and `clock` must outlive the server. The server may be destroyed while calls
  // are in flight.
  Server(ToolsBackend& backend, MessageSink& sink, const Clock& clock, ServerOptions options);
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // One line from the client, without its end.
  void receive(std::string_view line);
  // The same for a message that has been read.
  void handle(const Incoming& incoming);
  // The client sent a line that exceeds the limit.
  void receive_oversized(std::size_t limit);
  // Handles an event of the runtime.
  void on_event(const Event& event);
  // Passes the policy's question about a call to the client, if it supports that.
  void on_ask(AskRequest request);
  // Passes a script's question to the client of its call, if it can answer such a one.
  void on_input(InputRequest request);
  // A question that the client was given is over: it was answered elsewhere, or its call has ended.
  void on_withdrawn(const std::string& question);
  // Gives up suspended calls whose client has not returned in time, makes tasks of calls that have
  // gone on for long, and tells subscribers of outputs that have grown; next_timeout() says when.
  void expire();
  std::optional<Nanos> next_timeout() const;
  // The client sends nothing more, but reads on: it cannot answer a question that is a request of
  // the server. Those that are open are given up, and later ones are not put.
  void ask_no_more();
  // Ends open subscriptions properly; nothing is sent afterwards.
  void shut_down();

  // Calls, looks at runs and looks at tasks whose requests are unanswered.
  std::size_t requests_in_flight() const { return calls_.size() + looking_.size(); }
  // Whether a modern client has questions to answer, and must return for that.
  bool awaits_answers() const { return !suspended_.empty(); }

 private:
  struct PendingCall;
  struct Subscription {
    Json id;  // of the request that opened it
    Honoured wanted;
  };
  using Infos = std::vector<Json>;  // of runs, the newest first
  using Handler = void (Server::*)(const Request& request, const Envelope& envelope);
  struct Method;
  static const Method kMethods[];

  void serve(const Request& request);
  void notice(const Notification& notification);

  void initialize(const Request& request, const Envelope& envelope);
  void ping(const Request& request, const Envelope& envelope);
  void set_log_level(const Request& request, const Envelope& envelope);
  void discover(const Request& request, const Envelope& envelope);
  void list_tools(const Request& request, const Envelope& envelope);
  void call_tool(const Request& request, const Envelope& envelope);
  void listen(const Request& request, const Envelope& envelope);
  void begin_listening(const Json& id, Honoured honoured);

  // server_prompts.cc
  void list_prompts(const Request& request, const Envelope& envelope);
  void get_prompt(const Request& request, const Envelope& envelope);
  void complete(const Request& request, const Envelope& envelope);

  // server_resources.cc
  void list_resources(const Request& request, const Envelope& envelope);
  void list_resource_templates(const Request& request, const Envelope& envelope);
  void read_resource(const Request& request, const Envelope& envelope);
  void subscribe(const Request& request, const Envelope& envelope);
  void unsubscribe(const Request& request, const Envelope& envelope);
  void watch(const Request& request, Era era, const std::string& uri, bool exists);
  void look_at_runs(const Request& request, std::function<void(const Infos& runs)> then);
  void complete_run(const Request& request, const Envelope& envelope, const std::string& variable,
                    const std::string& typed);
  void read_run(const Request& request, Era era, const std::string& uri, const RunAddress& address);
  Json summary_of(const Json& info, const std::string& uri) const;
  Json output_of(const RunAddress& address, const std::string& uri) const;
  std::function<void(Result<std::string>)> content_for(const Request& request, Era era,
                                                       const std::string& uri,
                                                       const char* mime_type);
  void answer_content(const Request& request, Era era, Json content);
  void resource_not_found(const Request& request, Era era, const std::string& uri);
  void watch_outputs();
  void run_changed(const Event& event);
  void resource_updated(const std::string& uri);
  bool can_watch(const std::string& uri) const;

  // server_tasks.cc
  void get_task(const Request& request, const Envelope& envelope);
  void update_task(const Request& request, const Envelope& envelope);
  void cancel_task(const Request& request, const Envelope& envelope);
  void with_task(const Request& request, const Envelope& envelope,
                 std::function<void(Task& task)> then);
  bool refuse_without_tasks(const Request& request, const Envelope& envelope);
  Nanos task_time(const PendingCall& pending) const;
  std::string arguments_to_repeat(const PendingCall& pending) const;
  bool make_task(const std::shared_ptr<PendingCall>& pending);
  void make_due_tasks(Nanos now);
  bool honour_tasks(const Request& request, const Envelope& envelope, const Json& wanted,
                    Honoured* honoured, std::vector<std::string>* unknown);
  void look_up_tasks(const Request& request, const Envelope& envelope,
                     const std::vector<std::string>& ids, Honoured honoured);
  void tell_tasks(const Subscription& subscription);
  void on_task(const Task& task) override;

  void cancel(const Json& params);
  bool lacks_capability(const Request& request, const Envelope& envelope, const std::string& tool);
  // Starts a call for the request, or continues the one that its state names.
  void start_call(const Request& request, const Envelope& envelope, CallRequest call);
  void hold_request(PendingCall& pending, const Request& request, const Envelope& envelope);
  void finish_call(const std::shared_ptr<PendingCall>& pending, const CallResult& result);
  // The answer to its request, as a line.
  std::string tool_answer(const PendingCall& pending, const CallResult& result) const;
  std::string resource_answer(const PendingCall& pending, const CallResult& result) const;
  std::string prompt_answer(const PendingCall& pending, const CallResult& result) const;
  std::string completion_answer(const PendingCall& pending, const CallResult& result) const;
  void report_progress(PendingCall& pending, const Progress& progress);
  void list_changed(List list);
  void log(const Event& event);
  bool log_wanted(LogLevel level, const Json* call) const;

  std::shared_ptr<PendingCall> find_call(CallId call) const;
  void put(const std::shared_ptr<PendingCall>& pending, ClientQuestion question);
  // Returns to a modern client with the questions of the call.
  void await_answers(const std::shared_ptr<PendingCall>& pending);
  void take(const Response& response);
  void suspend(const std::shared_ptr<PendingCall>& pending);
  void resume(const Request& request, const Envelope& envelope, const CallRequest& call,
              const Json& state);
  void withdraw(PendingCall& pending, const AskAnswer& answer);
  void give_up(std::shared_ptr<PendingCall> pending, const char* why);
  bool is_deaf(const PendingCall& pending) const;

  bool knows_tool(const std::string& name) const;
  const Dialect& dialect(Era era) const;
  void answer(const Request& request, Json result);
  void refuse(const Json& id, int code, std::string message);
  // Whatever belongs to a request must say so: its client may wait on a stream of its own.
  void send(std::string message, const About& about);

  ToolsBackend& backend_;
  MessageSink& sink_;
  const Clock& clock_;
  const ServerOptions options_;
  Identity identity_;
  const LegacyDialect legacy_{identity_};
  const ModernDialect modern_{identity_};

  enum class Handshake { kNone, kAnswered, kComplete };
  Handshake handshake_ = Handshake::kNone;
  std::set<List> unannounced_;  // lists that changed before the handshake was complete
  LogLevel legacy_log_level_ = LogLevel::kWarning;
  ClientAbilities legacy_can_;
  TitledEnum legacy_enum_ = TitledEnum::kOneOf;
  std::map<std::string, std::shared_ptr<PendingCall>> calls_;      // by id_key()
  std::map<std::string, std::shared_ptr<PendingCall>> suspended_;  // by their state
  std::uint64_t last_question_ = 0;
  std::map<std::string, Subscription> subscriptions_;  // by id_key()
  std::set<std::string> looking_;                      // id_key() of requests about runs or tasks
  std::set<std::string> legacy_watched_;               // URIs
  OutputWatch outputs_;
  // Expires with this; the backend may answer later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
  bool asks_no_more_ = false;
  bool closed_ = false;
};

}  // namespace gibbous::mcp
