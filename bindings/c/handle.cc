#include "bindings/c/handle.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "bindings/json/text.h"
#include "runtime/base/thread_number.h"

namespace gibbous::c {
namespace {

// Handles are slot and generation in one number that looks like no address of an object.
constexpr std::size_t kSlots = 4096;
constexpr std::uintptr_t kGenerationShift = 16;

struct Slot {
  std::atomic<std::uintptr_t> name{0};  // of the handle that has it; 0: none
  std::atomic<Handle*> handle{nullptr};
  std::atomic<std::uintptr_t> generation{0};
  std::atomic<bool> taken{false};
  std::atomic<std::uint64_t> thread{0};
  std::atomic<pid_t> process{0};
};

std::array<Slot, kSlots>& slots() {
  static std::array<Slot, kSlots> all;
  return all;
}

Slot* slot_of(const gib_runtime* runtime) {
  const auto name = reinterpret_cast<std::uintptr_t>(runtime);
  const std::uintptr_t index = name & ((std::uintptr_t{1} << kGenerationShift) - 1);
  if (name == 0 || index == 0 || index > kSlots) return nullptr;
  Slot& slot = slots()[index - 1];
  return slot.name.load(std::memory_order_acquire) == name ? &slot : nullptr;
}

}  // namespace

gib_runtime* add_handle(Handle* handle) {
  for (std::size_t i = 0; i < kSlots; ++i) {
    Slot& slot = slots()[i];
    if (slot.taken.exchange(true)) continue;
    const std::uintptr_t generation = ++slot.generation;
    const std::uintptr_t name = (generation << kGenerationShift) | (i + 1);
    slot.handle.store(handle);
    slot.thread.store(thread_number());
    slot.process.store(::getpid());
    slot.name.store(name, std::memory_order_release);
    return reinterpret_cast<gib_runtime*>(name);  // NOLINT(performance-no-int-to-ptr)
  }
  return nullptr;
}

int find_handle(const gib_runtime* runtime, Handle** handle) {
  if (runtime == nullptr) return GIB_INVALID;
  const Slot* slot = slot_of(runtime);
  if (slot == nullptr) return GIB_CLOSED;
  if (slot->process.load() != ::getpid()) return GIB_FORKED;
  if (slot->thread.load() != thread_number()) return GIB_WRONG_THREAD;
  *handle = slot->handle.load();
  return *handle == nullptr ? GIB_CLOSED : GIB_OK;
}

Handle* find_anywhere(const gib_runtime* runtime) {
  const Slot* slot = slot_of(runtime);
  return slot == nullptr ? nullptr : slot->handle.load();
}

void remove_handle(const gib_runtime* runtime) {
  Slot* slot = slot_of(runtime);
  if (slot == nullptr) return;
  slot->name.store(0);
  slot->handle.store(nullptr);
  slot->taken.store(false);
}

Result<std::unique_ptr<Handle>> Handle::create(CreateOptions given) {
  std::unique_ptr<Handle> handle(new Handle);
  RuntimeOptions& options = given.runtime;
  for (HostTool& tool : options.tools) tool = handle->with_handlers(std::move(tool));
  for (HostFunction& each : options.functions) each = handle->with_handlers(std::move(each));
  auto made = Runtime::create(std::move(options));
  if (!made) return made.status();
  handle->runtime_ = std::move(*made);
  Handle* const self = handle.get();
  self->runtime_->on_event([self](const Event& event) { self->on_event(event); });
  self->runtime_->on_ask(
      [self](AskRequest request) {
        std::string json = ask_json(request);
        self->on_question<OpenAsk>(GIB_ASK, std::move(request), std::move(json));
      },
      [self](const std::string& id) { self->withdraw_question<OpenAsk>(id); });
  if (given.inputs) {
    self->runtime_->on_input(
        [self](InputRequest request) {
          std::string json = input_json(request);
          self->on_question<OpenInput>(GIB_INPUT, std::move(request), std::move(json));
        },
        [self](const std::string& id) { self->withdraw_question<OpenInput>(id); });
  }
  return handle;
}

void Handle::add(gib_kind kind, std::int64_t call, std::uint64_t token, std::string json) {
  messages_.add({kind, call, token, std::move(json)});
}

template <typename OpenQuestion, typename Request>
void Handle::on_question(gib_kind kind, Request request, std::string json) {
  const std::uint64_t token = ++last_token_;
  const auto call = static_cast<std::int64_t>(request.call);
  add(kind, call < kFirstList ? call : 0, token, std::move(json));
  open_[token] = OpenQuestion{std::move(request.id), std::move(request.reply)};
}

template <typename OpenQuestion>
void Handle::withdraw_question(const std::string& id) {
  withdraw([&id](const Open& open) {
    const auto* question = std::get_if<OpenQuestion>(&open);
    return question != nullptr && question->id == id;
  });
}

void Handle::on_call(ToolCall call, bool is_function) {
  const std::uint64_t token = ++last_token_;
  add(GIB_HOST_CALL, static_cast<std::int64_t>(call.call), token,
      host_call_json(is_function ? "function" : "tool", call.tool, call.arguments, call.session));
  open_[token] = OpenCall{is_function, call.id, std::move(call.reply), std::move(call.progress)};
}

void Handle::on_cancel(std::uint64_t id) {
  withdraw([id](const Open& open) {
    const auto* call = std::get_if<OpenCall>(&open);
    return call != nullptr && call->id == id;
  });
}

template <typename Same>
void Handle::withdraw(Same same) {
  for (auto each = open_.begin(); each != open_.end(); ++each) {
    if (!same(each->second)) continue;
    const std::uint64_t token = each->first;
    open_.erase(each);
    add(GIB_CANCELLED, 0, token, "{}");
    return;
  }
}

std::int64_t Handle::call(CallRequest request) {
  // The number is known before any callback comes.
  const auto id = std::make_shared<std::int64_t>(0);
  std::function<void(const Progress&)> on_progress;
  if (request.wants_progress) {
    on_progress = [this, id](const Progress& made) {
      add(GIB_PROGRESS, *id, 0, progress_json(made));
    };
  }
  *id = static_cast<std::int64_t>(runtime_->call(
      std::move(request),
      [this, id](const CallResult& result) { add(GIB_RESULT, *id, 0, result_json(result)); },
      std::move(on_progress)));
  return *id;
}

std::int64_t Handle::next_list(gib_kind kind) {
  const std::int64_t id = kFirstList + ++last_list_;
  lists_[id] = kind;
  return id;
}

void Handle::add_list(std::int64_t id, std::string json) {
  const auto open = lists_.find(id);
  if (open == lists_.end()) return;
  add(open->second, id, 0, std::move(json));
  lists_.erase(open);
}

std::int64_t Handle::runs(const std::string& session) {
  const std::int64_t id = next_list(GIB_RUNS);
  runtime_->list_runs(session, [this, id](const std::vector<std::string>& runs) {
    add_list(id, list_json("runs", runs));
  });
  return id;
}

std::int64_t Handle::backlog(const std::string& session) {
  const std::int64_t id = next_list(GIB_BACKLOG);
  runtime_->drain_backlog(session, [this, id](const std::vector<std::string>& events) {
    add_list(id, list_json("events", events));
  });
  return id;
}

Handle::~Handle() {
  // What the host has not taken does not count as delivered.
  if (runtime_) runtime_->close(nullptr, messages_.empty());
}

Refusal Handle::close() {
  return runtime_->close([this] { on_closed(); }, messages_.empty());
}

// Whatever waits for an answer gets one.
void Handle::on_closed() {
  while (!lists_.empty()) {
    const auto& [id, kind] = *lists_.begin();
    add_list(id, list_json(kind == GIB_RUNS ? "runs" : "events", {}));
  }
  while (!open_.empty()) {
    const std::uint64_t token = open_.begin()->first;
    open_.erase(open_.begin());
    add(GIB_CANCELLED, 0, token, "{}");
  }
  const Status problem = runtime_->end_problem();
  Json last = Json::object();
  if (!problem) last["problem"] = {{"code", problem.code()}, {"message", problem.message()}};
  add(GIB_CLOSED_DOWN, 0, 0, to_text(last));
}

void Handle::set_error(const std::string& text) {
  // What a parser quotes need not be UTF-8.
  error_ = text.empty() ? "" : Json::parse(to_text(Json(text))).get<std::string>();
}

Open* Handle::open(std::uint64_t token) {
  const auto found = open_.find(token);
  return found == open_.end() ? nullptr : &found->second;
}

void Handle::on_event(const Event& event) {
  add(event.name == "log" ? GIB_LOG : GIB_EVENT, 0, 0, event.json);
}

}  // namespace gibbous::c
