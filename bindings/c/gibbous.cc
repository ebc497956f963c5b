// The functions of gibbous.h: each checks its handle, does one thing, and lets no exception out.
#include "gibbous.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "bindings/c/handle.h"
#include "bindings/c/input.h"
#include "bindings/json/text.h"
#include "gibbous/asks.h"

namespace {

using gibbous::Json;
using gibbous::Refusal;
using gibbous::Status;
using namespace gibbous::c;

constexpr std::size_t kMaxNameBytes = 4096;
constexpr const char* kTooLate = "the token was answered, or its call has ended";
// The structs of version 1: what a program that knows no later one passes.
constexpr std::size_t kMessageSize = offsetof(gib_message, json_size) + sizeof(std::size_t);
constexpr std::size_t kBudgetSize = offsetof(gib_budget, wall_us) + sizeof(std::uint64_t);

int code_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
      return GIB_OK;
    case Refusal::kClosed:
      return GIB_CLOSED;
    case Refusal::kWrongThread:
      return GIB_WRONG_THREAD;
    case Refusal::kForked:
      return GIB_FORKED;
    case Refusal::kReentrant:
      return GIB_REENTRANT;
  }
  return GIB_INVALID;
}

// Why nothing can be done with this handle, whatever it is.
int check_here(const gib_runtime* runtime, Handle** handle) {
  const int code = find_handle(runtime, handle);
  return code == GIB_OK ? code_of((*handle)->runtime().check()) : code;
}

int failed(Handle& handle, const Status& status) {
  handle.set_error(status.message());
  if (status.code() == "invalid_arguments") return GIB_INVALID;
  for (const char* missing :
       {"run_not_found", "tool_not_found", "function_not_found", "ask_not_found", "ask_answered"}) {
    if (status.code() == missing) return GIB_NOT_FOUND;
  }
  return GIB_FAILED;
}

int not_found(Handle& handle, const std::string& what) {
  handle.set_error(what);
  return GIB_NOT_FOUND;
}

// Runs the body of a function. `closing`: it works while the runtime closes, too.
template <typename Body>
std::int64_t guarded(const gib_runtime* runtime, Body body, bool closing = false) {
  Handle* handle = nullptr;
  const int code = check_here(runtime, &handle);
  const bool may = code == GIB_OK || (closing && code == GIB_CLOSED && handle != nullptr);
  if (!may) return code;
  try {
    try {
      handle->set_error("");
      return body(*handle);
    } catch (const Invalid& wrong) {
      handle->set_error(wrong.what());
      return GIB_INVALID;
    }
  } catch (const std::bad_alloc&) {
    return GIB_NO_MEMORY;
  } catch (const std::exception&) {
    return GIB_FAILED;
  }
}

template <typename Body>
int guarded_code(const gib_runtime* runtime, Body body, bool closing = false) {
  return static_cast<int>(guarded(runtime, std::move(body), closing));
}

// The text that `body` returns, or NULL.
template <typename Body>
const char* guarded_text(const gib_runtime* runtime, Body body) {
  const char* text = nullptr;
  guarded(runtime, [&](Handle& handle) -> std::int64_t {
    handle.text = body(handle);
    text = handle.text.c_str();
    return GIB_OK;
  });
  return text;
}

// A copy of `reply`, because it goes with its token.
template <typename Reply, typename Answer>
int answer_with(Handle& handle, std::uint64_t token, Reply reply, const Answer& answer) {
  // The token of what has ended goes with its GIB_CANCELLED.
  if (!reply(answer)) return not_found(handle, kTooLate);
  handle.answered(token);
  return GIB_OK;
}

std::string name_of(const char* argument, const char* given) {
  if (given == nullptr) return "";
  const std::size_t size = ::strnlen(given, kMaxNameBytes + 1);
  if (size > kMaxNameBytes) {
    throw Invalid(std::string(argument) + ": expected at most 4096 bytes");
  }
  return {given, size};
}

// A struct of the host: an older program has a shorter one.
template <typename Struct>
void check_size(const char* argument, const Struct* given, std::size_t least) {
  if (given == nullptr || given->size < least) {
    throw Invalid(std::string(argument) + ": expected a struct with its size set");
  }
}

// The text need not be UTF-8, and is not cut inside a character.
void put_error(const std::string& given, char* error, std::size_t size) {
  if (error == nullptr || size == 0) return;
  const std::string text =
      given.empty() ? "" : Json::parse(gibbous::to_text(Json(given))).get<std::string>();
  std::size_t fits = std::min(text.size(), size - 1);
  const auto is_inside = [&text](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (fits > 0 && is_inside(fits)) --fits;
  std::memcpy(error, text.data(), fits);
  error[fits] = '\0';
}

}  // namespace

extern "C" {

uint32_t gib_abi(void) {
  return GIB_ABI;
}

const char* gib_version(void) {
  return gibbous::version();
}

int gib_has(const char* feature) {
  constexpr const char* kFeatures[] = {"tools", "functions", "read",      "deadline",
                                       "asks",  "inputs",    "resources", "prompts"};
  return feature != nullptr && std::any_of(std::begin(kFeatures), std::end(kFeatures),
                                           [feature](const char* each) {
                                             return std::strcmp(each, feature) == 0;
                                           })
             ? 1
             : 0;
}

gib_runtime* gib_create(const char* options, char* error, size_t error_size) {
  put_error("", error, error_size);
  try {
    auto made = Handle::create(read_options(options));
    if (!made) {
      put_error(made.status().message(), error, error_size);
      return nullptr;
    }
    gib_runtime* runtime = add_handle(made->get());
    if (runtime == nullptr) {
      put_error("this process has 4096 runtimes already", error, error_size);
      return nullptr;
    }
    (void)made->release();
    return runtime;
  } catch (const std::exception& wrong) {
    put_error(wrong.what(), error, error_size);
    return nullptr;
  }
}

int gib_check(const gib_runtime* runtime) {
  Handle* handle = nullptr;
  return check_here(runtime, &handle);
}

const char* gib_error(gib_runtime* runtime) {
  Handle* handle = nullptr;
  const int code = check_here(runtime, &handle);
  if (code == GIB_OK || (code == GIB_CLOSED && handle != nullptr)) return handle->error().c_str();
  switch (code) {
    case GIB_CLOSED:
      return "the runtime was destroyed";
    case GIB_WRONG_THREAD:
      return "the runtime belongs to another thread";
    case GIB_FORKED:
      return "the runtime belongs to the parent of this process";
    default:
      return "runtime: expected one that gib_create() returned, got NULL";
  }
}

int64_t gib_call(gib_runtime* runtime, const char* request) {
  return guarded(runtime, [request](Handle& handle) -> std::int64_t {
    return handle.call(read_call(request));
  });
}

int gib_cancel(gib_runtime* runtime, int64_t call) {
  return guarded_code(runtime, [call](Handle& handle) -> std::int64_t {
    const bool is_active = call > 0 && handle.runtime().cancel(static_cast<gibbous::CallId>(call));
    return is_active ? GIB_OK : not_found(handle, "there is no such call, or it has ended");
  });
}

int gib_poll(gib_runtime* runtime, const gib_budget* budget) {
  const auto body = [budget](Handle& handle) -> std::int64_t {
    gibbous::PollBudget given;
    if (budget != nullptr) {
      check_size("budget", budget, kBudgetSize);
      constexpr std::uint64_t kMostMicros = 3'600'000'000;
      constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;
      given.bytes = static_cast<std::size_t>(std::min(budget->bytes, kMostBytes));
      given.lua = std::chrono::microseconds(std::min(budget->lua_us, kMostMicros));
      given.wall = std::chrono::microseconds(std::min(budget->wall_us, kMostMicros));
    }
    given.passed_on = handle.messages().empty();
    return handle.runtime().poll(given) ? 1 : 0;
  };
  return guarded_code(runtime, body, true);
}

int gib_wait(gib_runtime* runtime, int64_t ms) {
  const auto body = [ms](Handle& handle) -> std::int64_t {
    if (ms < 0) throw Invalid("ms: expected 0 or more");
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    const bool taken = handle.messages().empty();
    const std::int64_t limit = taken && !handle.is_over() ? std::min(ms, kMost) : 0;
    handle.runtime().wait(std::chrono::milliseconds(limit), taken);
    return GIB_OK;
  };
  return guarded_code(runtime, body, true);
}

int gib_fd(gib_runtime* runtime) {
  Handle* handle = nullptr;
  const int code = check_here(runtime, &handle);
  const bool may = code == GIB_OK || (code == GIB_CLOSED && handle != nullptr);
  return may ? handle->runtime().backend_fd() : -1;
}

int64_t gib_next_timeout(gib_runtime* runtime) {
  Handle* handle = nullptr;
  const int code = check_here(runtime, &handle);
  if (code != GIB_OK && (code != GIB_CLOSED || handle == nullptr)) return -1;
  if (!handle->messages().empty()) return 0;
  const auto next = handle->runtime().next_timeout();
  return next ? next->count() : -1;
}

int gib_next(gib_runtime* runtime, gib_message* message) {
  const auto body = [message](Handle& handle) -> std::int64_t {
    check_size("message", message, kMessageSize);
    if (handle.is_over()) return GIB_CLOSED;
    if (handle.messages().empty()) return 0;
    Message& given = handle.given();
    given = handle.messages().take();
    if (given.kind == GIB_CLOSED_DOWN) handle.set_over();
    message->kind = given.kind;
    message->reserved = 0;
    message->call = given.call;
    message->token = given.token;
    message->json = given.json.c_str();
    message->json_size = given.json.size();
    return 1;
  };
  return guarded_code(runtime, body, true);
}

int gib_reply(gib_runtime* runtime, uint64_t token, const char* json) {
  return guarded_code(runtime, [token, json](Handle& handle) -> std::int64_t {
    Open* open = handle.open(token);
    if (open == nullptr) return not_found(handle, kTooLate);
    if (const auto* ask = std::get_if<OpenAsk>(open)) {
      const gibbous::AskAnswer answer = read_ask_answer(Input("json", json));
      return answer_with(handle, token, ask->reply, answer);
    }
    if (const auto* input = std::get_if<OpenInput>(open)) {
      const gibbous::InputAnswer answer = read_input_answer(Input("json", json));
      return answer_with(handle, token, input->reply, answer);
    }
    const auto& call = std::get<OpenCall>(*open);
    const gibbous::ToolAnswer answer = call.is_function ? read_function_answer(Input("json", json))
                                                        : read_tool_answer(Input("json", json));
    return answer_with(handle, token, call.reply, answer);
  });
}

const char* gib_asks(gib_runtime* runtime) {
  bool read = false;
  const char* text = guarded_text(runtime, [&read](Handle& handle) {
    const auto asks = gibbous::list_asks(handle.runtime().state_dir());
    if (!asks) {
      handle.set_error(asks.status().message());
      return std::string();
    }
    read = true;
    return "{\"asks\":" + gibbous::asks_json(*asks) + "}";
  });
  return read ? text : nullptr;
}

int gib_ask_answer(gib_runtime* runtime, const char* id, const char* json) {
  return guarded_code(runtime, [id, json](Handle& handle) -> std::int64_t {
    const std::string name = name_of("id", id);
    const gibbous::AskAnswer answer = read_ask_answer(Input("json", json));
    if (answer.no_approver) throw Invalid("json.allow: expected true or false");
    // The host may be this one, which goes on with the next gib_poll().
    const auto outcome = gibbous::answer_ask(handle.runtime().state_dir(), name, answer,
                                             std::chrono::milliseconds(0));
    return outcome ? GIB_OK : failed(handle, outcome.status());
  });
}

int gib_progress(gib_runtime* runtime, uint64_t token, const char* json) {
  return guarded_code(runtime, [token, json](Handle& handle) -> std::int64_t {
    Open* open = handle.open(token);
    const auto* call = open == nullptr ? nullptr : std::get_if<OpenCall>(open);
    if (call == nullptr) return not_found(handle, "the token is that of no open host call");
    const gibbous::Progress made = read_progress(json);
    const auto tell = call->progress;
    if (tell) tell(made);
    return GIB_OK;
  });
}

int gib_tool_add(gib_runtime* runtime, const char* tool) {
  return guarded_code(runtime, [tool](Handle& handle) -> std::int64_t {
    const Status added =
        handle.runtime().add_tool(handle.with_handlers(read_tool(Input("tool", tool))));
    return added ? int{GIB_OK} : failed(handle, added);
  });
}

int gib_tool_remove(gib_runtime* runtime, const char* name) {
  return guarded_code(runtime, [name](Handle& handle) -> std::int64_t {
    const Status removed = handle.runtime().remove_tool(name_of("name", name));
    return removed ? int{GIB_OK} : failed(handle, removed);
  });
}

int gib_function_add(gib_runtime* runtime, const char* function) {
  return guarded_code(runtime, [function](Handle& handle) -> std::int64_t {
    const Status added = handle.runtime().add_function(
        handle.with_handlers(read_function(Input("function", function))));
    return added ? int{GIB_OK} : failed(handle, added);
  });
}

int gib_function_remove(gib_runtime* runtime, const char* name) {
  return guarded_code(runtime, [name](Handle& handle) -> std::int64_t {
    const Status removed = handle.runtime().remove_function(name_of("name", name));
    return removed ? int{GIB_OK} : failed(handle, removed);
  });
}

const char* gib_tools(gib_runtime* runtime, const char* format) {
  return guarded_text(runtime, [format](Handle& handle) {
    const std::string wanted = name_of("format", format);
    const auto as = gibbous::tool_format_named(wanted);
    if (!as) {
      throw Invalid(
          "format: expected mcp, openai, openai-strict, openai-responses, openai-responses-strict, "
          "anthropic or gemini, got \"" +
          wanted + "\"");
    }
    return handle.runtime().tools_json(*as);
  });
}

const char* gib_resources(gib_runtime* runtime) {
  return guarded_text(runtime, [](Handle& handle) {
    std::vector<std::string> resources;
    std::vector<std::string> templates;
    for (const gibbous::ResourceInfo& each : handle.runtime().resources()) {
      (each.is_template ? templates : resources).push_back(gibbous::resource_json(each));
    }
    std::string text = list_json("resources", resources);
    text.back() = ',';
    return text + list_json("templates", templates).substr(1);
  });
}

const char* gib_prompts(gib_runtime* runtime) {
  return guarded_text(runtime, [](Handle& handle) {
    std::vector<std::string> prompts;
    for (const gibbous::PromptInfo& each : handle.runtime().prompts()) {
      prompts.push_back(gibbous::prompt_json(each));
    }
    return list_json("prompts", prompts);
  });
}

int64_t gib_runs(gib_runtime* runtime, const char* session) {
  return guarded(runtime, [session](Handle& handle) -> std::int64_t {
    return handle.runs(name_of("session", session));
  });
}

int64_t gib_backlog(gib_runtime* runtime, const char* session) {
  return guarded(runtime, [session](Handle& handle) -> std::int64_t {
    return handle.backlog(name_of("session", session));
  });
}

int64_t gib_read(gib_runtime* runtime, const char* run, int stream, uint64_t* cursor, char* buffer,
                 size_t size, int* ended) {
  return guarded(runtime, [=](Handle& handle) -> std::int64_t {
    if (stream != 1 && stream != 2) throw Invalid("stream: expected 1 (stdout) or 2 (stderr)");
    if (cursor == nullptr) throw Invalid("cursor: expected a place, got NULL");
    if (buffer == nullptr && size > 0) throw Invalid("buffer: expected a place, got NULL");
    const auto from = stream == 1 ? gibbous::OutputStream::kStdout : gibbous::OutputStream::kStderr;
    const auto read = handle.runtime().read_output(name_of("run", run), from, *cursor, size);
    if (!read) return failed(handle, read.status());
    std::copy(read->bytes.begin(), read->bytes.end(), buffer);
    *cursor = read->next;
    if (ended != nullptr) *ended = read->ended ? 1 : 0;
    return static_cast<std::int64_t>(read->bytes.size());
  });
}

int gib_reload(gib_runtime* runtime) {
  return guarded_code(runtime, [](Handle& handle) -> std::int64_t {
    const gibbous::ReloadResult result = handle.runtime().reload();
    if (result.ok) return GIB_OK;
    std::string said = result.message;
    if (!result.file.empty() && said.find(result.file) == std::string::npos) {
      said = result.file + ":" + std::to_string(result.line) + ": " + said;
    }
    handle.set_error(said);
    return GIB_FAILED;
  });
}

const char* gib_info(gib_runtime* runtime) {
  return guarded_text(runtime, [](Handle& handle) {
    const gibbous::Runtime& of = handle.runtime();
    return gibbous::to_text(Json{{"version", gibbous::version()},
                                 {"mode", of.mode()},
                                 {"session", of.session()},
                                 {"generation", of.generation()},
                                 {"policy_error", of.policy_error()}});
  });
}

int gib_post(gib_runtime* runtime, const char* json) {
  if (runtime == nullptr) return GIB_INVALID;
  Handle* handle = find_anywhere(runtime);
  if (handle == nullptr) return GIB_CLOSED;
  try {
    // Checked here, where the caller can be told, although not by gib_error() on another thread.
    std::string text = checked_object("json", json);
    const Refusal refusal = handle->runtime().post([handle, text = std::move(text)] {
      handle->messages().add({GIB_POSTED, 0, 0, text});
    });
    return code_of(refusal);
  } catch (const Invalid&) {
    return GIB_INVALID;
  } catch (const std::exception&) {
    return GIB_NO_MEMORY;
  }
}

int gib_close(gib_runtime* runtime) {
  return guarded_code(
      runtime, [](Handle& handle) -> std::int64_t { return code_of(handle.close()); }, true);
}

int gib_hand_over(gib_runtime* runtime) {
  return guarded_code(runtime, [](Handle& handle) -> std::int64_t {
    return code_of(handle.runtime().hand_over(handle.messages().empty()));
  });
}

int gib_destroy(gib_runtime* runtime) {
  Handle* handle = nullptr;
  const int code = check_here(runtime, &handle);
  if (handle == nullptr || (code != GIB_OK && code != GIB_CLOSED)) return code;
  remove_handle(runtime);
  delete handle;
  return GIB_OK;
}

}  // extern "C"
