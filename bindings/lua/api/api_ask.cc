// The table `ask`: callable, ask{ ... } puts a form to the person at the client of the running call
// and waits for the answer; ask.model does the same with the client's model, and ask.roots with the
// client itself. Only a host with Runtime::on_input can pass such a question on. Its handler is
// called from Engine::run_ready, never inside a script, once no task of the call can run on: then
// all that they ask comes together.
#include <lua.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/check/content_value.h"
#include "bindings/lua/check/input_form.h"
#include "bindings/lua/check/uri_template.h"
#include "bindings/lua/check/wrong_use.h"
#include "bindings/lua/vm/error.h"
#include "runtime/base/random_id.h"

namespace gibbous::lua {
namespace {

constexpr const char* kCannotAsk = "cannot_ask";
constexpr std::size_t kMaxRoots = 1000;

constexpr const char* kInvalidAnswer = "invalid_answer";

// Returns what the answer to a question means to the script.
using ReadAnswer = Result<Json> (*)(const InputForm&, const InputAnswer&);

// One question, between the task that waits for its answer and the host.
class InputQuestion final : public HeldQuestion,
                            public std::enable_shared_from_this<InputQuestion> {
 public:
  InputQuestion(const Call& call, Engine& engine, Completer complete, InputForm form,
                ReadAnswer read)
      : engine_(engine),
        lifetime_(engine.lifetime()),
        call_(call.id() < kFirstHook ? call.id() : 0),
        session_(call.session()),
        complete_(std::move(complete)),
        form_(std::move(form)),
        read_(read),
        id_(random_id()) {}

  bool is_open() const override { return open_; }

  void pass(bool more) override {
    InputRequest request;
    request.call = call_;
    request.id = id_;
    request.session = session_;
    request.key = form_.key;
    request.kind = form_.kind;
    request.params = to_text(form_.params);
    request.more = more;
    request.check = [form = form_, read = read_](const std::string& result) {
      InputAnswer answer;
      answer.result = result;
      const Status status = read(form, answer).status();
      return status.code() == kInvalidAnswer ? status : Status();
    };
    // Dropping the last copy of the reply is an answer, too.
    auto reply = std::make_shared<Reply>(shared_from_this());
    request.reply = [reply](const InputAnswer& answer) { return reply->of->finish(answer); };
    const auto asker = engine_.host.asker;  // it may be replaced meanwhile
    given_ = static_cast<bool>(asker);
    if (asker) asker(std::move(request));
  }

  // Its script waits no longer.
  void give_up() {
    if (!std::exchange(open_, false) || lifetime_.expired() || !given_) return;
    engine_.post([&engine = engine_, id = id_] {
      const auto withdrawn = engine.host.input_withdrawn;
      if (withdrawn) withdrawn(id);
    });
  }

 private:
  struct Reply {
    explicit Reply(std::shared_ptr<InputQuestion> question) : of(std::move(question)) {}
    ~Reply() {
      InputAnswer none;
      none.message = "the host cannot ask the client of this call";
      of->finish(none);
    }
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;
    std::shared_ptr<InputQuestion> of;
  };

  // Returns false when it comes too late.
  bool finish(const InputAnswer& answer) {
    if (!std::exchange(open_, false) || lifetime_.expired()) return false;
    complete_([form = form_, read = read_, answer](lua_State* to) {
      const Result<Json> meant = read(form, answer);
      if (!meant) return push_error(to, meant.status());
      push_json(to, *meant);
      return 1;
    });
    return true;
  }

  Engine& engine_;  // not touched once it is gone
  std::weak_ptr<const void> lifetime_;
  CallId call_;
  std::string session_;
  Completer complete_;
  InputForm form_;
  ReadAnswer read_;
  std::string id_;
  bool open_ = true;    // neither answered nor given up
  bool given_ = false;  // to the host
};

class InputOp final : public PendingOp {
 public:
  explicit InputOp(std::shared_ptr<InputQuestion> question) : question_(std::move(question)) {}
  void cancel() override { question_->give_up(); }

 private:
  std::shared_ptr<InputQuestion> question_;
};

Status cannot_ask(const InputAnswer& answer) {
  return Status::error(kCannotAsk,
                       answer.message.empty() ? "the client cannot be asked" : answer.message);
}

Result<Json> read_form_answer(const InputForm& form, const InputAnswer& answer) {
  if (answer.result.empty()) return cannot_ask(answer);
  const Json result = parse_object(answer.result, kMaxContentBytes);
  const std::string action = text_member(result, "action");
  if (action == "decline") return Status::error("declined", "the person declined to answer");
  if (action == "cancel") {
    return Status::error("dismissed", "the person closed the question without an answer");
  }
  Json content = result.value("content", Json::object());
  if (action != "accept" || !content.is_object()) {
    return Status::error(kInvalidAnswer, "the client's answer is none that it may give");
  }
  if (const Status fits = form.check->apply(content); !fits) {
    return Status::error(kInvalidAnswer, fits.message());
  }
  return content;
}

Result<Json> read_model_answer(const InputForm&, const InputAnswer& answer) {
  if (answer.result.empty()) return cannot_ask(answer);
  const Json result = parse_object(answer.result, 2 * kMaxContentBytes);
  const Json* content = find_member(result, "content");
  if (content == nullptr || (!content->is_object() && !content->is_array())) {
    return Status::error(kInvalidAnswer, "the client's answer has no content");
  }
  const Json blocks = content->is_array() ? *content : Json::array({*content});
  Json made = {{"text", content_text(blocks)}, {"content", script_content(blocks)}};
  for (const auto& [theirs, ours] :
       {std::pair("model", "model"), std::pair("stopReason", "stop_reason"),
        std::pair("role", "role")}) {
    if (const std::string* value = find_text(result, theirs)) made[ours] = *value;
  }
  return made;
}

Result<Json> read_root_list(const InputForm&, const InputAnswer& answer) {
  constexpr std::string_view kFile = "file://";
  if (answer.result.empty()) return cannot_ask(answer);
  const Json result = parse_object(answer.result, kMaxContentBytes);
  const Json* roots = find_member(result, "roots");
  if (roots == nullptr || !roots->is_array() || roots->size() > kMaxRoots) {
    return Status::error(kInvalidAnswer, "the client's answer is no list of at most " +
                                             std::to_string(kMaxRoots) + " directories");
  }
  Json made = Json::array();
  for (const Json& root : *roots) {
    const std::string uri = text_member(root, "uri");
    if (uri.empty() || uri.size() > kMaxUriBytes) {
      return Status::error(kInvalidAnswer, "a directory of the client's answer has no URI");
    }
    Json entry = {{"uri", uri}};
    if (const std::string* name = find_text(root, "name")) entry["name"] = *name;
    if (uri.starts_with(std::string(kFile) + "/")) {
      const std::string path = percent_decoded(uri.substr(kFile.size()));
      if (path.find('\0') == std::string::npos) entry["path"] = path;
    }
    made.push_back(std::move(entry));
  }
  return made;
}

int ask(lua_State* state, InputForm form, ReadAnswer read) {
  const auto task = Task::current(state);
  Call& call = task->call();
  auto question = std::make_shared<InputQuestion>(call, call.engine(), task->completer(),
                                                  std::move(form), read);
  call.ask_client(question);
  return task->suspend(state, std::make_unique<InputOp>(std::move(question)));
}

// __call: [ask, options]
int l_ask(lua_State* state) {
  lua_settop(state, 2);
  luaL_checktype(state, 2, LUA_TTABLE);
  return with_wrong_use(state, [state] {
    Result<InputForm> form = read_form(state, 2);
    if (!form) throw WrongUse("ask", form.status().message());
    return ask(state, std::move(*form), read_form_answer);
  });
}

// [options]
int l_ask_model(lua_State* state) {
  lua_settop(state, 1);
  luaL_checktype(state, 1, LUA_TTABLE);
  return with_wrong_use(state, [state] {
    Result<InputForm> form = read_sampling(state, 1);
    if (!form) throw WrongUse("ask.model", form.status().message());
    return ask(state, std::move(*form), read_model_answer);
  });
}

// [options?]
int l_ask_roots(lua_State* state) {
  lua_settop(state, 1);
  if (lua_isnil(state, 1)) {
    lua_newtable(state);
    lua_replace(state, 1);
  }
  luaL_checktype(state, 1, LUA_TTABLE);
  return with_wrong_use(state, [state] {
    Result<InputForm> form = read_roots(state, 1);
    if (!form) throw WrongUse("ask.roots", form.status().message());
    return ask(state, std::move(*form), read_root_list);
  });
}

}  // namespace

void open_ask(lua_State* state) {
  lua_newtable(state);
  push_suspending(state, l_ask_model, "ask.model");
  lua_setfield(state, -2, "model");
  push_suspending(state, l_ask_roots, "ask.roots");
  lua_setfield(state, -2, "roots");
  lua_createtable(state, 0, 2);  // [ask, metatable]
  push_suspending(state, l_ask, "ask");
  lua_setfield(state, -2, "__call");
  lua_pushboolean(state, 0);
  lua_setfield(state, -2, "__metatable");
  lua_setmetatable(state, -2);
}

}  // namespace gibbous::lua
