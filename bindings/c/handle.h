// Handle: what a gib_runtime stands for. Handles are numbers in a table, so that one which was
// destroyed is refused instead of being followed.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "bindings/c/input.h"
#include "bindings/c/messages.h"
#include "gibbous.h"
#include "gibbous/runtime.h"

namespace gibbous::c {

// What gib_reply() answers.
struct OpenAsk {
  std::string id;
  std::function<bool(const AskAnswer&)> reply;
};
struct OpenInput {
  std::string id;
  std::function<bool(const InputAnswer&)> reply;
};
struct OpenCall {
  bool is_function = false;
  std::uint64_t id = 0;  // ToolCall::id
  std::function<bool(const ToolAnswer&)> reply;
  std::function<void(const Progress&)> progress;
};
using Open = std::variant<OpenAsk, OpenInput, OpenCall>;

class Handle {
 public:
  // Fails as Runtime::create() does.
  static Result<std::unique_ptr<Handle>> create(CreateOptions options);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Makes the calls of a tool or a function messages.
  template <typename Part>
  Part with_handlers(Part part) {
    part.handler = [this](ToolCall call) {
      on_call(std::move(call), std::is_same_v<Part, HostFunction>);
    };
    part.on_cancel = [this](std::uint64_t id) { on_cancel(id); };
    return part;
  }
  std::int64_t call(CallRequest request);
  std::int64_t runs(const std::string& session);
  std::int64_t backlog(const std::string& session);
  Refusal close();
  void set_error(const std::string& text);

  Runtime& runtime() { return *runtime_; }
  Messages& messages() { return messages_; }
  // Null when the token was answered, or has ended.
  Open* open(std::uint64_t token);
  void answered(std::uint64_t token) { open_.erase(token); }
  // The message that the host was given last.
  Message& given() { return given_; }
  bool is_over() const { return is_over_; }
  void set_over() { is_over_ = true; }

  const std::string& error() const { return error_; }
  std::string text;  // what a function returned last

 private:
  Handle() = default;
  void add(gib_kind kind, std::int64_t call, std::uint64_t token, std::string json);
  void on_event(const Event& event);
  // Makes the request a message, for a reply of this type.
  template <typename OpenQuestion, typename Request>
  void on_question(gib_kind kind, Request request, std::string json);
  template <typename OpenQuestion>
  void withdraw_question(const std::string& id);
  void on_call(ToolCall call, bool is_function);
  void on_cancel(std::uint64_t id);
  template <typename Same>
  void withdraw(Same same);
  std::int64_t next_list(gib_kind kind);
  void add_list(std::int64_t id, std::string json);
  void on_closed();

  // Calls, lists and backlogs share their numbers with none of each other.
  static constexpr std::int64_t kFirstList = std::int64_t{1} << 52;

  std::string error_;
  Messages messages_;
  Message given_;
  std::map<std::uint64_t, Open> open_;
  std::uint64_t last_token_ = 0;
  std::int64_t last_list_ = 0;
  std::map<std::int64_t, gib_kind> lists_;  // not answered yet
  bool is_over_ = false;
  std::unique_ptr<Runtime> runtime_;  // destroyed first: its callbacks use the rest
};

// The table. All of it: any thread, also in a forked child, without locks.
gib_runtime* add_handle(Handle* handle);  // null when there are too many
// Returns GIB_OK and the handle for the thread and the process that made it. Elsewhere nothing is
// followed, because that thread may be destroying it.
int find_handle(const gib_runtime* runtime, Handle** handle);
// The same for a thread that knows that it is not being destroyed.
Handle* find_anywhere(const gib_runtime* runtime);
void remove_handle(const gib_runtime* runtime);

}  // namespace gibbous::c
