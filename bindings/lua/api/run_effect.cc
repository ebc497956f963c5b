#include "bindings/lua/api/run_effect.h"

#include <lua.hpp>

#include <utility>
#include <vector>

#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/spec_world.h"
#include "bindings/lua/policy/refusal.h"
#include "bindings/lua/vm/value.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

class PendingEffect final : public PendingOp {
 public:
  explicit PendingEffect(std::shared_ptr<Effect> effect)
      : effect_(std::move(effect)),
        specs_(effect_->asks_journal ? effect_->context.specs : nullptr) {
    if (specs_ != nullptr) ++specs_->questions;
  }
  ~PendingEffect() override {
    if (specs_ != nullptr) --specs_->questions;
  }
  PendingEffect(const PendingEffect&) = delete;
  PendingEffect& operator=(const PendingEffect&) = delete;
  void cancel() override {
    effect_->cancelled = true;
    if (effect_->withdraw) std::exchange(effect_->withdraw, nullptr)();
    if (effect_->on_cancel) effect_->on_cancel();
  }
  void describe(WaitingFor* waiting) const override {
    waiting->answer = waiting->answer || static_cast<bool>(effect_->withdraw);
    waiting->runs.insert(waiting->runs.end(), effect_->runs.begin(), effect_->runs.end());
  }

 private:
  std::shared_ptr<Effect> effect_;
  SpecWorld* specs_;
};

}  // namespace

void push_handle(lua_State* state, const std::string& id) {
  lua_newtable(state);
  lua_pushlstring(state, id.data(), id.size());
  lua_setfield(state, -2, "id");
  lua_getfield(state, LUA_REGISTRYINDEX, kRunHandleKey);
  lua_setmetatable(state, -2);
}

std::string check_id(lua_State* state, int index) {
  if (lua_istable(state, index)) {
    lua_getfield(state, index, "id");
    lua_replace(state, index);
  }
  std::size_t length = 0;
  const char* id = lua_tolstring(state, index, &length);
  if (id == nullptr || lua_type(state, index) != LUA_TSTRING) {
    luaL_argerror(state, index, "expected a run (call it with ':', as in h:kill{}) or its id");
  }
  return {id, length};
}

namespace {

Status not_found_near(const std::string& id, const std::string& near) {
  return Status::error("run_not_found",
                       "Process \"" + id + "\" not found" +
                           (near.empty() ? "" : ". Did you mean \"" + near + "\"?"));
}

}  // namespace

bool is_own(lua_State* state, const Run& run) {
  const Call* call = calling(state);
  return call == nullptr || call->owns(run);
}

Run* find_own(lua_State* state, const std::string& id) {
  Run* run = context_of(state).runs->find(id);
  return run != nullptr && is_own(state, *run) ? run : nullptr;
}

Status not_found(lua_State* state, const std::string& id) {
  std::vector<std::string> known;
  for (const Run* run : context_of(state).runs->list()) {
    if (is_own(state, *run)) known.push_back(run->id());
  }
  return not_found_near(id, nearest_name(id, known));
}

std::unique_ptr<PendingOp> pending(std::shared_ptr<Effect> effect) {
  return std::make_unique<PendingEffect>(std::move(effect));
}

int ask_then(lua_State* state, PolicyRequest asked,
             std::function<void(const std::shared_ptr<Effect>&)> act, bool asks_journal) {
  const auto task = Task::current(state);
  Context& context = context_of(state);
  auto effect = std::make_shared<Effect>(Effect{context, task, task->completer()});
  effect->asks_journal = asks_journal;
  const RequestKind kind = asked.kind;
  const std::string run = asked.run;
  effect->withdraw =
      context.engine->ask(task->call(), std::move(asked),
                          [effect, kind, run, act = std::move(act)](const Verdict& verdict) {
                            effect->withdraw = nullptr;
                            if (effect->cancelled) return;
                            if (verdict.decision != Verdict::Decision::kAllow) {
                              effect->fail(refused_effect(kind, verdict), run);
                              return;
                            }
                            effect->verdict = verdict;
                            act(effect);
                          });
  return task->suspend(state, std::make_unique<PendingEffect>(std::move(effect)));
}

void ask_also(const std::shared_ptr<Effect>& effect, PolicyRequest asked,
              std::function<void(const Verdict&)> act) {
  const auto task = effect->task.lock();
  if (!task || effect->cancelled) return;
  // An answer that comes at once finds nothing to withdraw afterwards.
  auto answered = std::make_shared<bool>(false);
  const RequestKind kind = asked.kind;
  auto withdraw = effect->context.engine->ask(
      task->call(), std::move(asked),
      [effect, kind, answered, act = std::move(act)](const Verdict& verdict) {
        *answered = true;
        effect->withdraw = nullptr;
        if (effect->cancelled) return;
        if (verdict.decision != Verdict::Decision::kAllow)
          return effect->fail(refused_effect(kind, verdict));
        act(verdict);
      });
  if (!*answered) effect->withdraw = std::move(withdraw);
}

int effect_method(lua_State* state, const std::string& id, PolicyRequest asked,
                  std::function<void(const std::shared_ptr<Effect>&, Run&)> act) {
  const Run* found = find_own(state, id);
  if (found == nullptr) return push_error(state, not_found(state, id), id);
  asked.run = id;
  asked.command = found->command_text();
  asked.cwd = found->spec().cwd;
  return ask_then(state, std::move(asked),
                  [id, act = std::move(act)](const std::shared_ptr<Effect>& effect) {
                    Runs& table = *effect->context.runs;
                    Run* run = table.find(id);
                    if (run == nullptr) {
                      effect->fail(not_found_near(id, ""), id);
                      return;
                    }
                    effect->runs = {id};
                    act(effect, *run);
                  });
}

}  // namespace gibbous::lua
