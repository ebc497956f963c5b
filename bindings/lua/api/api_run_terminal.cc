// Typed text is an effect: the policy is asked about it, with what a shell would make of it.
#include "bindings/lua/api/run_effect.h"

#include <lua.hpp>

#include <string>
#include <utility>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/screen_value.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/wrong_use.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/vm/value.h"
#include "runtime/command/analyse.h"
#include "runtime/runs/runs.h"
#include "runtime/terminal/keys.h"
#include "runtime/terminal/screen.h"

namespace gibbous::lua {
namespace {

struct Typing {
  TypedText judged;
  std::vector<KeyStroke> strokes;
  std::string text;  // instead of strokes: typed as it is, or pasted
  bool paste = false;
};

// Remembers what was written to a shell. It determines the directory, the variables and the history
// of the shell when more is written to it.
void note_typed(Context& context, const std::string& run, const std::string& before,
                const Typing& typing, const Judgement& judgement) {
  constexpr std::size_t kMaxTyped = std::size_t{64} << 10;  // of one run
  constexpr std::size_t kMaxTypedRuns = 256;
  if (context.typed.size() >= kMaxTypedRuns && context.typed.count(run) == 0) {
    for (auto at = context.typed.begin(); at != context.typed.end();) {
      at = context.runs->find(at->first) == nullptr ? context.typed.erase(at) : std::next(at);
    }
  }
  std::string& typed = context.typed[run];
  // More may have been typed while a person was asked.
  const bool known = judgement.typed && typed == before;
  if (known && judgement.typed->size() <= kMaxTyped) {
    typed = *judgement.typed;
    return;
  }
  typed = command::kUnknownLines;
  const std::string& text = typing.judged.text;
  // A command of an editor may begin here, whatever stands before it.
  if (text.ends_with('\n')) return;
  typed += command::kUnknownBeginning;
  typed += text.substr(text.rfind('\n') + 1);  // npos + 1 is 0
}

std::string bytes_of(const Run& run, const Typing& typing) {
  Screen* screen = run.screen();
  if (screen != nullptr && typing.paste) return screen->encode_paste(typing.text);
  if (screen != nullptr && !typing.strokes.empty()) return screen->encode(typing.strokes);
  std::string bytes = typing.text;
  for (const KeyStroke& stroke : typing.strokes) bytes += plain_bytes(stroke);
  return bytes;
}

PolicyRequest stdin_request(const Context& context, const std::string& id, const Typing& typing) {
  PolicyRequest asked;
  asked.kind = RequestKind::kStdin;
  asked.text = typing.judged.text;
  asked.edited = typing.judged.edited;
  asked.interrupted = typing.judged.interrupted;
  const Run* run = context.runs->find(id);
  asked.pty = run != nullptr && run->spec().terminal.has_value();
  if (run != nullptr && run->spec().sandbox) {
    asked.run_sandbox = {{"profile", run->spec().sandbox->profile},
                         {"network", to_string(run->spec().sandbox->network)}};
  }
  if (run != nullptr) asked.foreground = context.runs->foreground(*run);
  const Echo echo = run != nullptr ? context.runs->echo(*run) : Echo::kTerminal;
  if (echo == Echo::kNobody) asked.echo = TypedEcho::kHidden;
  if (echo == Echo::kProgram) asked.echo = TypedEcho::kUnknown;
  if (const auto found = context.typed.find(id); found != context.typed.end())
    asked.typed_before = found->second;
  return asked;
}

int type(lua_State* state, const std::string& id, const Typing& typing) {
  // Text typed for a prompt that is over must not be shown.
  if (const Run* run = find_own(state, id); run != nullptr && run->ended()) {
    return push_error(
        state, Status::error("stdin_closed", "The run's stdin is closed: it has ended."), id);
  }
  PolicyRequest asked = stdin_request(context_of(state), id, typing);
  std::string before = asked.typed_before.value_or("");
  return effect_method(
      state, id, std::move(asked),
      [typing, before = std::move(before)](const std::shared_ptr<Effect>& effect, Run& run) {
        const Judgement* judged = effect->verdict.judgement.get();
        if (judged != nullptr) note_typed(effect->context, run.id(), before, typing, *judged);
        const auto noted = effect->context.typed.find(run.id());
        std::string after = noted == effect->context.typed.end() ? "" : noted->second;
        effect->context.runs->write(
            run, bytes_of(run, typing),
            [effect, id = run.id(), before, after = std::move(after)](const Status& status) {
              if (status) return effect->answer(true);
              // Nothing of it was typed. More may have been since.
              const auto now = effect->context.typed.find(id);
              if (status.code() == "line_too_long" && now != effect->context.typed.end())
                now->second = now->second == after ? before : std::string(command::kUnknownLines);
              effect->fail(status, id);
            });
      });
}

// Without a terminal a key is a byte, or nothing.
Status need_plain(const std::vector<KeyStroke>& strokes) {
  for (const KeyStroke& stroke : strokes) {
    if (!plain_bytes(stroke).empty()) continue;
    return Status::error("no_terminal",
                         "keys: one of them works only in a terminal, and the run has none: "
                         "start it with pty = true");
  }
  return {};
}

Result<Typing> typing_of(const Run& run, const std::string& keys, bool literal, bool paste) {
  auto strokes = literal || paste ? literal_keys(keys) : parse_keys(keys);
  if (!strokes) return strokes.status();
  Typing typing;
  typing.paste = paste;
  if (paste) {
    typing.text = keys;
    typing.judged = typed_bytes(keys);
    return typing;
  }
  typing.strokes = std::move(*strokes);
  if (run.spec().terminal) {
    typing.judged = typed_text(typing.strokes);
    return typing;
  }
  if (const Status plain = need_plain(typing.strokes); !plain) return plain;
  typing.judged.text = bytes_of(run, typing);
  return typing;
}

std::string check_text(lua_State* state, int index) {
  std::size_t length = 0;
  const char* text = luaL_checklstring(state, index, &length);
  return {text, length};
}

// Finds the run, or pushes nil and err and sets `count` to their number.
Run* find_run(lua_State* state, const std::string& id, int* count) {
  Run* run = find_own(state, id);
  if (run == nullptr) *count = push_error(state, not_found(state, id), id);
  return run;
}

int answer(lua_State* state, const Status& status, const std::string& id) {
  if (!status) return push_error(state, status, id);
  lua_pushboolean(state, 1);
  return 1;
}

}  // namespace

int l_run_write(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    Typing typing;
    typing.text = check_text(state, 2);
    const Run* run = find_own(state, id);
    const bool terminal = run != nullptr && run->spec().terminal;
    typing.judged = terminal ? typed_bytes(typing.text) : TypedText{typing.text, false, false};
    return type(state, id, typing);
  });
}

int l_run_send_keys(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    const std::string keys = check_text(state, 2);
    Fields fields("run:send_keys", options_at(state, 3));
    const bool literal = fields.flag("literal").value_or(false);
    const bool paste = fields.flag("paste").value_or(false);
    fields.done();
    int count = 0;
    const Run* run = find_run(state, id, &count);
    if (run == nullptr) return count;
    const auto typing = typing_of(*run, keys, literal, paste);
    return typing ? type(state, id, *typing) : push_error(state, typing.status(), id);
  });
}

int l_run_close_stdin(lua_State* state) {
  const std::string id = check_id(state, 1);
  int count = 0;
  Run* run = find_run(state, id, &count);
  if (run == nullptr) return count;
  if (run->spec().terminal) {
    const Status status = Status::error(
        "is_terminal", "A terminal cannot be closed: end its input with send_keys('<C-d>').");
    return push_error(state, status, id);
  }
  context_of(state).runs->close_stdin(*run);
  return answer(state, Status(), id);
}

int l_run_screen(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    const ScreenOptions options = parse_screen_options(options_at(state, 2));
    int count = 0;
    const Run* run = find_run(state, id, &count);
    if (run == nullptr) return count;
    if (run->screen() == nullptr) {
      const Status status =
          run->spec().terminal
              ? Status::error("not_running", "The run has not started yet.")
              : Status::error("no_terminal", "The run has no terminal: start it with pty = true.");
      return push_error(state, status, id);
    }
    push_json(state, screen_value(*run->screen(), options));
    return 1;
  });
}

int l_run_resize(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    const TerminalSize size = parse_size("run:resize", options_at(state, 2));
    int count = 0;
    Run* run = find_run(state, id, &count);
    if (run == nullptr) return count;
    return answer(state, context_of(state).runs->resize(*run, size), id);
  });
}

}  // namespace gibbous::lua
