// How the engine comes to a verdict that takes more than one turn of the loop: a long command line
// is analysed on another thread, and a path whose file system may not answer is asked for. Neither
// holds up a session other than the one whose request it is.
#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "bindings/lua/call/background_load.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/judgement.h"
#include "runtime/command/path_map.h"
#include "runtime/paths/walk.h"
#include "runtime/runs/path_lookups.h"
#include "runtime/runs/runs.h"
#include "runtime/sandbox/landlock.h"
#include "runtime/sandbox/own_network.h"

namespace gibbous::lua {
namespace {

// An answer may show that a path leads to another one that has to be asked for.
constexpr int kMaxRounds = 4;
// What a session requests next waits this long for answers about paths, and then goes ahead, as it
// does while a person is asked.
constexpr Millis kPathsHoldOthers{30};

// What a start asks for beyond its sandbox becomes what it can get: only what exists can be
// granted, so that a new file needs the directory around it. A person sees that, and profiles write
// the home as ~.
std::string grantable(const std::string& wish, const std::string& home,
                      const paths::MountTable& mounts) {
  const std::size_t colon = wish.find(':');
  if (colon == std::string::npos) return wish;
  std::string path = wish.substr(colon + 1);
  if (path.rfind("~/", 0) == 0) path = home + path.substr(1);
  if (path.rfind('/', 0) != 0) return wish;
  path = command::normalize(path);
  while (path.size() > 1 && paths::walk(path, &mounts).reached == paths::Reached::kMissing) {
    path.resize(std::max<std::size_t>(path.rfind('/'), 1));
  }
  if (!home.empty() && path.rfind(home + "/", 0) == 0) path.replace(0, home.size(), "~");
  return wish.substr(0, colon + 1) + path;
}

}  // namespace

struct Engine::Judging {
  PolicyRequest asked;
  std::function<void(Verdict)> on_verdict;
  std::weak_ptr<Call> call;
  Withdraw withdraw;     // the question to a person, once there is one
  bool is_over = false;  // no task waits for the verdict any more
  int rounds = 0;
  std::size_t unanswered = 0;  // questions about paths
  bool has_learnt = false;     // of places
  InOrder::Done done;          // lets what the session requests next go ahead

  void leave() {
    if (done) std::exchange(done, nullptr)();
  }
  bool is_wanted() const {
    const auto alive = call.lock();
    return !is_over && alive && !alive->cancelled() && !alive->ended();
  }
};

// --- Beside the loop ----------------------------------------------------------------------------

// Specs know when everything has settled; a thread would go on.
bool Engine::has_others() const {
  return host.post && context_.specs == nullptr;
}

bool Engine::run_beside(std::function<void()> work, std::function<void()> then) {
  if (!has_others()) return false;
  beside_.run([post = host.post, work = std::move(work), then = std::move(then),
               alive = std::weak_ptr<const int>(lifetime_)] {
    work();
    post([then, alive] {
      if (!alive.expired()) then();
    });
  });
  return true;
}

bool Engine::run_in_order(const std::string& session, std::function<void()> work,
                          std::function<void()> then) {
  if (!has_others()) return false;
  in_order_.run(session,
                [this, work = std::move(work), then = std::move(then)](const InOrder::Done& done) {
                  run_beside(work, [this, then, done] {
                    post([then, done] {
                      then();
                      done();
                    });
                  });
                });
  return true;
}

// --- The rules ----------------------------------------------------------------------------------

// Another generation reads the same files on a thread, and what it has read counts for this one.
void Engine::read_policy_beside(std::function<void()> then) {
  waiting_for_policy_.push_back(std::move(then));
  if (policy_read_) return;
  GenerationOptions options = options_.generation;
  options.only_policies = true;
  options.layers = nullptr;  // the policies of layers have been read
  try {
    policy_read_ = std::make_unique<BackgroundLoad>(
        options, open_api_, current_->id(), nullptr,
        [this, post = host.post, alive = std::weak_ptr<const int>(lifetime_)] {
          post([this, alive] {
            if (!alive.expired()) take_policy();
          });
        });
  } catch (const std::system_error&) {
    post([this] { take_policy(); });
  }
}

void Engine::take_policy() {
  BackgroundLoad::Outcome outcome;
  if (policy_read_) outcome = policy_read_->take();
  policy_read_.reset();
  PolicyProgram& policy = current_->policy();
  std::optional<ReadPolicy> known;
  if (outcome.made && outcome.made->policy().commands() != nullptr &&
      outcome.made->policy().own_hash() == policy.own_hash()) {
    known = outcome.made->policy().commands()->read_policy();
  }
  // What failed there fails here, too, and denies.
  policy.load_lazy(std::move(known));
  if (outcome.made) dispose(std::move(outcome.made));
  for (const auto& then : std::exchange(waiting_for_policy_, {})) post(then);
}

// --- The verdict --------------------------------------------------------------------------------

// Executors start lines with a shell of their own choice, in places of their own.
bool Engine::is_on_host(const PolicyRequest& asked) const {
  if (context_.runs == nullptr) return false;
  if (asked.kind == RequestKind::kStart) return asked.executor.empty();
  if (asked.kind == RequestKind::kCall)
    return context_.executor.empty() || context_.executor == "host";
  const Run* run = context_.runs->find(asked.run);
  return run != nullptr && !run->spec().execution;
}

std::shared_ptr<paths::Answers> Engine::path_answers() const {
  if (!has_others() || context_.runs == nullptr) return nullptr;
  const auto& mounts = context_.runs->paths().mounts();
  return mounts->now()->all_local() ? nullptr : std::make_shared<paths::Answers>(mounts);
}

Engine::Withdraw Engine::judge(Call& call, PolicyRequest asked,
                               std::function<void(Verdict)> on_verdict) {
  asked.paths = path_answers();
  asked.confinable = context_.can_confine;
  if (!is_on_host(asked)) {
    asked.shell.clear();
  } else if (asked.shell.empty()) {
    const Run* run = context_.runs->find(asked.run);
    const bool keeps = run != nullptr && !run->spec().shell.empty();  // it was queued with it
    asked.shell = keeps ? run->spec().shell : context_.runs->options().shell;
  }
  asked.own_network = !context_.can_confine || can_own_network();
  asked.own_signals = !context_.can_confine || can_hold_signals();
  asked.signs = context_.signs;
  for (std::string& wish : asked.allow) {
    if (context_.runs == nullptr) break;
    wish = grantable(wish, context_.home, *context_.runs->paths().mounts()->now());
  }
  const bool has_command = asked.command || !asked.argv.empty();
  if (host.learner != nullptr && has_others() && has_command) host.learner->begin();
  const bool at_once = !is_behind(call.session()) && !current_->policy().is_unread() &&
                       !current_->policy().judge_beside(asked);
  if (at_once || !has_others()) {
    Verdict verdict = decide(asked);
    if (!asked.lacks_paths() && !has_to_learn(asked, verdict)) {
      return settle(call, std::move(asked), std::move(verdict), std::move(on_verdict));
    }
  }
  auto judging = std::make_shared<Judging>();
  judging->asked = std::move(asked);
  judging->on_verdict = std::move(on_verdict);
  judging->call = call.weak_from_this();
  in_order_.run(call.session(), [this, judging](InOrder::Done done) {
    judging->done = std::move(done);
    // What was found missing before is asked for first.
    judging->asked.lacks_paths() ? ask_for_paths(judging) : analyse(judging);
  });
  return [judging] {
    judging->is_over = true;
    if (judging->withdraw) std::exchange(judging->withdraw, nullptr)();
  };
}

// It would run, and outside of the sandboxes of other runs, on what may no longer hold.
bool Engine::has_to_learn(const PolicyRequest& asked, const Verdict& verdict) const {
  const bool has_command = asked.command || !asked.argv.empty();
  const bool is_out =
      verdict.sandbox.is_null() || verdict.sandbox.value("profile", "") == kFetchProfile;
  return host.learner != nullptr && has_others() && has_command &&
         asked.kind != RequestKind::kCall && asked.kind != RequestKind::kKill &&
         verdict.decision != Verdict::Decision::kDeny && is_out && host.learner->is_behind();
}

void Engine::analyse(const std::shared_ptr<Judging>& judging) {
  if (!judging->is_wanted()) return judging->leave();
  if (current_->policy().is_unread()) {
    return read_policy_beside([this, judging] { analyse(judging); });
  }
  judging->asked.prepared = nullptr;
  auto work = current_->policy().judge_beside(judging->asked);
  if (!work) return conclude(judging);
  run_beside(
      [judging, work = std::move(work)] {
        try {
          judging->asked.prepared = work();
        } catch (const std::exception&) {  // no memory: it is judged on the loop, which reports it
          judging->asked.prepared = nullptr;
        }
      },
      [this, judging] { post([this, judging] { conclude(judging); }); });
}

void Engine::conclude(const std::shared_ptr<Judging>& judging) {
  if (!judging->is_wanted()) return judging->leave();
  if (judging->asked.lacks_paths()) return ask_for_paths(judging);
  Verdict verdict = decide(judging->asked);
  if (judging->asked.lacks_paths()) return ask_for_paths(judging);
  if (!judging->has_learnt && has_to_learn(judging->asked, verdict)) {
    judging->has_learnt = true;
    return host.learner->catch_up([this, judging, alive = std::weak_ptr<const int>(lifetime_)] {
      if (alive.expired()) return;
      // What was learned makes the path classes anew, which takes a turn of its own.
      current_->policy().warm();
      post([this, judging] { analyse(judging); });
    });
  }
  judging->withdraw = settle(*judging->call.lock(), std::move(judging->asked), std::move(verdict),
                             std::move(judging->on_verdict));
  judging->leave();
}

void Engine::ask_for_paths(const std::shared_ptr<Judging>& judging) {
  const std::shared_ptr<paths::Answers> answers = judging->asked.paths;
  const auto missing = answers->take_missing();
  if (++judging->rounds >= kMaxRounds) answers->end_questions();
  judging->unanswered = missing.size();
  const std::weak_ptr<const int> lifetime = lifetime_;
  for (const paths::Answers::Missing& each : missing) {
    context_.runs->paths().ask(
        {paths::Ask::kReal, each.path, {}}, each.mount,
        [this, judging, answers, path = each.path, lifetime](paths::Answer answer) {
          const bool said = answer.answered && answer.error == 0;
          answers->answer(path,
                          said ? std::optional<std::string>(std::move(answer.text)) : std::nullopt);
          if (--judging->unanswered > 0 || lifetime.expired()) return;
          post([this, judging] { analyse(judging); });
        });
  }
  if (!judging->done) return;
  context_.runs->after(kPathsHoldOthers, [judging, lifetime] {
    if (!lifetime.expired()) judging->leave();
  });
}

}  // namespace gibbous::lua
