// See open_asks.h.
#include "bindings/host/open_asks.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bindings/host/places.h"
#include "bindings/json/text.h"
#include "bindings/lua/call/engine.h"
#include "runtime/base/sha256.h"
#include "runtime/base/shell_quote.h"
#include "runtime/process/pid_space.h"
#include "runtime/process/proc.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMostOpen = 200;  // in the state directory, of one runtime
constexpr std::size_t kMostKept = 200;
constexpr std::size_t kMostDetached = 16;  // of one session
constexpr Nanos kLookInterval = std::chrono::milliseconds(200);
constexpr Nanos kIdleLookInterval = std::chrono::seconds(1);
constexpr Nanos kGather = std::chrono::milliseconds(5);
constexpr Nanos kActiveTime = std::chrono::minutes(5);
constexpr Nanos kPruneInterval = std::chrono::hours(1);
// A person in front of a client that shows the question needs no other notice.
constexpr Nanos kShownNotice = std::chrono::seconds(15);

// Exactly this call: what counts for an approval of the command, and who asks for it.
std::string key_of(const AskRequest& request) {
  return sha256_hex(to_text(Json{request.session, request.tool, request.effect, request.arguments,
                                 request.subject, request.rules, request.mode, request.workspace}));
}

std::string own_name() {
  constexpr std::size_t kMostNameBytes = 16;
  std::array<char, kMostNameBytes + 2> name{};
  const bool known = read_proc_file(::getpid(), "comm", name);
  std::string text = known ? name.data() : "process";
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text + " " + std::to_string(::getpid());
}

}  // namespace

struct OpenAsks::Open {
  std::string id;
  std::string key;
  AskRequest request;                           // without reply
  std::function<bool(const AskAnswer&)> reply;  // of the call that waits; null: it has ended
  std::string decision;                         // that waits: the request's own id
  std::uint64_t turn = 0;                       // counts the calls that have waited
  bool is_shown = false;                        // the handler has it
  std::string why_not;                          // why the client cannot ask
  bool is_listed = false;
  std::int64_t opened = 0;
  std::int64_t expires = 0;
  UniqueFd file;                     // locked
  std::vector<std::string> digests;  // of its texts so far
  Deadlines::Token limit = 0;
  Deadlines::Token notice = 0;
  bool is_closed = false;
};

OpenAsks::OpenAsks(std::string directory, uv_loop_s* loop, const Clock& clock, StateGate& gate,
                   Runs& runs, lua::AskSettings times, Hooks hooks)
    : clock_(clock),
      gate_(gate),
      runs_(runs),
      times_(times),
      hooks_(std::move(hooks)),
      directory_(std::move(directory)),
      files_(directory_),
      watch_(loop, [this] { look_soon(); }) {}

OpenAsks::~OpenAsks() = default;

std::int64_t OpenAsks::now() const {
  return std::chrono::floor<std::chrono::seconds>(clock_.wall()).count();
}

// --- The way of a question ----------------------------------------------------------------------

void OpenAsks::ask(AskRequest request, bool may_look) {
  const std::string key = key_of(request);
  if (answer_from_kept(key, request, may_look)) return;
  std::shared_ptr<Open> open = attach(key, request);
  if (open == nullptr) {
    open = std::make_shared<Open>();
    open->id = request.id;
    open->key = key;
    open->opened = now();
    open->decision = request.id;
    open->reply = std::exchange(request.reply, nullptr);
    open->request = std::move(request);
    open_[open->id] = open;
  }
  ++open->turn;
  active_ = clock_.now();
  write(open, true);
}

// A call that comes again, exactly as it was, finds the answer, once.
bool OpenAsks::answer_from_kept(const std::string& key, const AskRequest& request, bool may_look) {
  if (!may_look || directory_.empty() || (!files_open_ && !files_.open(false))) return false;
  kept_.erase(key);
  const auto text = files_.take_kept(key);
  if (!text) return false;
  KeptReply kept = decode_kept(*text);
  if (kept.until <= now()) return false;
  std::string& reason = kept.answer.reason;
  reason = "question " + kept.question + (reason.empty() ? "" : ": " + reason);
  request.reply(kept.answer);
  return true;
}

// The same call, while its question is still open.
std::shared_ptr<OpenAsks::Open> OpenAsks::attach(const std::string& key, AskRequest& request) {
  for (const auto& [id, open] : open_) {
    if (open->key != key || open->reply) continue;
    runs_.cancel(open->limit);
    open->decision = request.id;
    open->reply = std::exchange(request.reply, nullptr);
    open->expires = 0;
    open->request.call = request.call;
    return open;
  }
  return nullptr;
}

void OpenAsks::show(const std::shared_ptr<Open>& open) {
  if (!handler_) return cannot_ask(open);
  // Dropping the last copy of the reply denies.
  struct Once {
    std::function<bool(const AskAnswer&)> answer;
    ~Once() {
      AskAnswer silence;
      silence.reason = "no person answered";
      if (answer) (void)answer(silence);
    }
  };
  const auto once = std::make_shared<Once>();
  once->answer = [this, alive = std::weak_ptr<const int>(lifetime_),
                  weak = std::weak_ptr<Open>(open), turn = open->turn](const AskAnswer& answer) {
    const auto held = weak.lock();
    return !alive.expired() && held != nullptr && take(held, turn, answer);
  };
  AskRequest shown = open->request;
  shown.id = open->id;
  shown.reply = [once](const AskAnswer& answer) {
    const auto take = std::exchange(once->answer, nullptr);
    return take && take(answer);
  };
  open->is_shown = true;
  if (times_.wait.count() > 0) wait_for_elsewhere(open);
  notify_after(open, kShownNotice);
  const auto handler = handler_;  // it may set another one
  handler(std::move(shown));
}

// The client's answer. False when it comes too late.
bool OpenAsks::take(const std::shared_ptr<Open>& open, std::uint64_t turn,
                    const AskAnswer& answer) {
  if (open->is_closed || open->turn != turn || !open->is_shown) return false;
  open->is_shown = false;
  open->why_not = answer.reason;
  if (!answer.no_approver) return settle(open, answer, "");
  if (!open->reply) return false;
  cannot_ask(open);
  return true;
}

bool OpenAsks::settle(const std::shared_ptr<Open>& open, AskAnswer answer,
                      const std::string& nonce) {
  answer.no_approver = false;
  const auto reply = std::exchange(open->reply, nullptr);
  if (reply && !reply(answer)) {
    close_as(open, "ended");
    return false;
  }
  if (!reply) hooks_.record(open->request, answer);
  const bool lasts = answer.allow && answer.remember != AskAnswer::Remember::kOnce;
  if (lasts) {
    // The answer counts once even where it cannot be remembered and no call waits for it.
    std::function<void()> failed;
    if (!reply) failed = [this, open, answer] { keep_answer(open, answer); };
    hooks_.remember(open->request, answer, std::move(failed));
  } else if (!reply) {
    keep_answer(open, answer);
  }
  close(open, {outcome_of(open->id, answer, now()), nonce});
  return true;
}

void OpenAsks::keep_answer(const std::shared_ptr<Open>& open, const AskAnswer& answer) {
  const KeptReply kept{open->id, now() + times_.keep.count(), answer};
  auto file = files_.keep(open->key, encode_kept(kept));
  if (!file) {
    return hooks_.on_problem("the answer to question " + open->id +
                             " is not kept: " + file.status().message());
  }
  if (kept_.size() == kMostKept) kept_.clear();
  kept_[open->key] = std::move(*file);
}

// What a hook starts, such as a restart of a service, has no caller who could call again. What
// counts once (typed text, a script that cannot be read) is another question each time: its subject
// has the id of the decision.
bool OpenAsks::comes_again(const Open& open) const {
  return times_.keep.count() > 0 && open.request.call < lua::kFirstHook &&
         open.request.subject.find(open.request.id) == std::string::npos;
}

// A handler that asks something itself would be called about that, and so on.
bool OpenAsks::is_heard(const Open& open) const {
  return !is_ending_ && open.request.call < lua::kFirstHook;
}

bool OpenAsks::may_wait(const Open& open) const {
  return handler_ || times_.wait.count() > 0 || comes_again(open);
}

void OpenAsks::cannot_ask(const std::shared_ptr<Open>& open) {
  const bool others_can = open->is_listed;
  if (!others_can || (times_.wait.count() == 0 && !comes_again(*open))) {
    const AskAnswer nobody = no_approver(*open);
    const auto reply = std::exchange(open->reply, nullptr);
    close_as(open, "ended");
    if (reply) (void)reply(nobody);
    return;
  }
  notify(open);
  if (times_.wait.count() == 0) return detach(open);
  wait_for_elsewhere(open);
}

void OpenAsks::wait_for_elsewhere(const std::shared_ptr<Open>& open) {
  if (open->limit != 0 || !open->is_listed) return;
  open->limit = runs_.after(Nanos(times_.wait), [this, open] {
    open->limit = 0;
    if (!open->is_closed) detach(open);
  });
}

AskAnswer OpenAsks::no_approver(const Open& open) {
  AskAnswer answer;
  answer.no_approver = true;
  answer.reason = open.why_not;
  return answer;
}

// The call ends with the id of the question, which stays open.
void OpenAsks::detach(const std::shared_ptr<Open>& open) {
  withdraw_from_client(*open);
  const auto reply = std::exchange(open->reply, nullptr);
  AskAnswer nobody = no_approver(*open);
  const bool keeps = comes_again(*open) && detached_of(open->request.session) <= kMostDetached;
  if (!keeps) {
    close_as(open, "expired");
    if (reply) (void)reply(nobody);
    return;
  }
  nobody.waits = open->id;
  if (directory_ != default_state_directory()) {
    nobody.answered_with = "gibbous asks --state " + shell_quote(directory_);
  }
  open->expires = now() + times_.keep.count();
  open->limit = runs_.after(Nanos(times_.keep), [this, open] {
    open->limit = 0;
    if (!open->is_closed) close_as(open, "expired");
  });
  if (reply && !reply(nobody)) return close_as(open, "ended");
  write(open, false);
}

std::size_t OpenAsks::detached_of(const std::string& session) const {
  return static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), [&](const auto& each) {
    return !each.second->reply && each.second->request.session == session;
  }));
}

void OpenAsks::withdraw(const std::string& decision) {
  for (const auto& [id, each] : open_) {
    if (each->decision != decision || !each->reply) continue;
    const std::shared_ptr<Open> open = each;
    withdraw_from_client(*open);
    open->reply = nullptr;
    return close_as(open, "ended");
  }
}

void OpenAsks::withdraw_from_client(Open& open) {
  if (!std::exchange(open.is_shown, false)) return;
  const auto withdrawn = withdrawn_;  // it may set another one
  if (withdrawn) withdrawn(open.id);
}

void OpenAsks::close_as(const std::shared_ptr<Open>& open, const char* decision) {
  AskEnd end;
  end.outcome.id = open->id;
  end.outcome.decision = decision;
  end.outcome.at = now();
  close(open, end);
}

void OpenAsks::close(const std::shared_ptr<Open>& open, const AskEnd& end) {
  if (std::exchange(open->is_closed, true)) return;
  runs_.cancel(open->limit);
  runs_.cancel(open->notice);
  open_.erase(open->id);
  if (!open->is_listed) return;
  const AskOutcome& outcome = end.outcome;
  hooks_.emit("ask_answered", open->request.session,
              Json{{"id", open->id},
                   {"decision", outcome.decision},
                   {"scope", outcome.scope},
                   {"who", outcome.who},
                   {"reason", outcome.reason}},
              is_heard(*open));
  gate_.pass([this, alive = std::weak_ptr<const int>(lifetime_), open, end](bool answers) {
    // Without its file, or its lock, a question is not open.
    if (answers && !alive.expired()) files_.finish(open->id, encode_end(end));
    open->file.reset();
  });
}

void OpenAsks::end() {
  is_ending_ = true;
  for (const auto& [id, open] : std::map(open_)) {
    open->is_shown = false;
    open->reply = nullptr;
    close_as(open, "ended");
  }
  runs_.cancel(look_timer_);
  watch_.stop();
}

// --- The state directory ------------------------------------------------------------------------

OpenAsk OpenAsks::shown(const Open& open) const {
  OpenAsk made;
  made.ask = redacted_ask(open.request, hooks_.redactor());
  made.ask.id = open.id;
  made.host = own_name();
  made.opened = open.opened;
  made.expires = open.expires;
  made.waits = static_cast<bool>(open.reply);
  return made;
}

// Each problem once in a row.
void OpenAsks::report(const std::string& what, const Status& status) {
  if (std::exchange(reported_, status.message()) == status.message()) return;
  hooks_.on_problem(what + status.message());
}

bool OpenAsks::files_ready() {
  if (!files_open_) {
    if (Status status = files_.open(true); !status) {
      report("questions cannot be answered elsewhere: ", status);
      return false;
    }
    files_open_ = true;
  }
  const Nanos time = clock_.now();
  if (pruned_ < Nanos{0} || time - pruned_ > kPruneInterval) {
    pruned_ = time;
    files_.prune();
  }
  return true;
}

void OpenAsks::write(const std::shared_ptr<Open>& open, bool then_show) {
  const bool may_list =
      !directory_.empty() && may_wait(*open) && (open->is_listed || open_.size() <= kMostOpen);
  gate_.pass(
      [this, alive = std::weak_ptr<const int>(lifetime_), open, may_list, then_show](bool answers) {
        if (alive.expired() || open->is_closed) return;
        if (answers && may_list && files_ready()) put(*open);
        if (open->is_listed) watch();
        if (then_show) show(open);
      });
}

void OpenAsks::put(Open& open) {
  const OpenAsk now_shown = shown(open);
  const std::string text = encode_ask({now_shown, process_tag()});
  const Status status = files_.put(open.id, text, &open.file);
  if (!status) {
    // It may be another directory by now.
    files_open_ = false;
    report("a question cannot be answered elsewhere: ", status);
    return;
  }
  reported_.clear();
  open.digests.push_back(sha256_hex(text));
  if (std::exchange(open.is_listed, true)) return;
  const AskRequest& of = now_shown.ask;
  hooks_.emit("ask_opened", of.session,
              Json{{"id", open.id},
                   {"tool", of.tool},
                   {"effect", of.effect},
                   {"command", of.command},
                   {"reason", of.reason},
                   {"rule", of.rule},
                   {"rules", of.rules},
                   {"workspace", of.workspace}},
              is_heard(open));
}

void OpenAsks::notify_after(const std::shared_ptr<Open>& open, Nanos delay) {
  if (!hooks_.notify || open->notice != 0 || !open->is_listed) return;
  open->notice = runs_.after(delay, [this, open] {
    open->notice = 0;
    if (!open->is_closed && open->reply) notify(open);
  });
}

// Once for each question.
void OpenAsks::notify(const std::shared_ptr<Open>& open) {
  runs_.cancel(open->notice);
  if (hooks_.notify && open->turn == 1) hooks_.notify(shown(*open));
}

void OpenAsks::watch() {
  if (open_.empty()) {
    watch_.stop();
    is_watched_ = false;
    return;
  }
  if (!is_watched_ && files_open_) is_watched_ = watch_.start(files_.path());
  if (look_timer_ != 0 || looking_) return;
  const bool busy = clock_.now() - active_ < kActiveTime && !is_watched_;
  look_timer_ = runs_.after(busy ? kLookInterval : kIdleLookInterval, [this] {
    look_timer_ = 0;
    look();
  });
}

// Several answers may come at once.
void OpenAsks::look_soon() {
  if (looking_ || open_.empty()) return;
  runs_.cancel(look_timer_);
  look_timer_ = runs_.after(kGather, [this] {
    look_timer_ = 0;
    look();
  });
}

void OpenAsks::look() {
  looking_ = true;
  gate_.pass([this, alive = std::weak_ptr<const int>(lifetime_)](bool answers) {
    if (alive.expired()) return;
    looking_ = false;
    for (const auto& [id, open] : std::map(open_)) {
      if (!answers || open->is_closed || !open->is_listed) continue;
      const auto text = files_.take_answer(id);
      if (!text) continue;
      const AskReply reply = decode_reply(*text);
      const auto& seen = open->digests;
      // The answer is about another text of the question.
      if (std::find(seen.begin(), seen.end(), reply.question) == seen.end()) {
        files_.drop_answer(id);
        hooks_.on_problem("an answer to question " + id + " does not count: it is about another");
        continue;
      }
      withdraw_from_client(*open);
      (void)settle(open, reply.answer, reply.nonce);
    }
    watch();
  });
}

}  // namespace gibbous::host
