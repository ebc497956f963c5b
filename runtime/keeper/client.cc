// KeeperClient: which runs the keeper has, what each message means for them, and what happens when
// the keeper is lost: the processes that it left are ended first, then the listener is notified.
#include "runtime/keeper/client.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <list>
#include <unordered_map>
#include <utility>

#include "runtime/keeper/keeper_program.h"
#include "runtime/keeper/link.h"
#include "runtime/keeper/loop_timer.h"
#include "runtime/keeper/orphan_sweep.h"
#include "runtime/keeper/start_request.h"
#include "runtime/keeper/wire.h"

namespace gibbous {
namespace {

// The size of a START message without its strings and limits, rounded up generously.
constexpr std::size_t kStartOverheadBytes = 256 + wire::kMaxLimits * 32;

class ClientImpl final : public KeeperClient, private LinkOwner {
 public:
  ClientImpl(uv_loop_t* loop, KeeperOptions options, KeeperListener& listener)
      : loop_(loop),
        options_(std::move(options)),
        listener_(listener),
        later_timer_(std::make_unique<LoopTimer>(loop, handles_, [this] { run_later(); })) {}

  // Connects to the keeper at a control socket instead of starting one.
  void adopt(const std::string& control_socket);

  Status start(RunKey run, const StartRequest& request) override;
  void signal(RunKey run, int signal_number) override;
  void kill(RunKey run, int signal_number, Millis grace) override;
  void usage(RunKey run, std::function<void(const std::optional<TreeUsage>&)> on_usage) override;
  void cleanup_done(RunKey run, bool grant) override;
  void recorded(RunKey run, std::uint64_t out, std::uint64_t err, bool end) override;
  void forget(RunKey run) override;
  void shutdown(Millis grace) override;
  std::uint32_t keeper_number() const override {
    return link_ == nullptr ? 0 : link_->keeper_number();
  }
  pid_t keeper_pid() const override { return link_ == nullptr ? 0 : link_->pid(); }
  void close(std::function<void()> on_closed) override;

 private:
  enum class Phase : std::uint8_t {
    kStarting,
    kRunning,
    kExited,
    kLosing,  // its keeper is lost, and the listener is not notified yet
  };
  struct Entry {
    pid_t pid = 0;
    std::uint64_t start_time = 0;
    Phase phase = Phase::kStarting;
    std::uint32_t left = 0;
    std::uint32_t kills = 0;  // reports that are still due
    bool kept = false;        // by the keeper until its end is recorded

    // More will be reported of it.
    bool active() const { return phase != Phase::kExited || left > 0 || kills > 0; }
  };
  // The work that one lost keeper leaves.
  struct PendingSweep {
    PendingSweep(OrphanSweep what, std::vector<RunKey> lost, std::string why)
        : sweep(std::move(what)), runs(std::move(lost)), reason(std::move(why)) {}
    OrphanSweep sweep;
    std::vector<RunKey> runs;
    std::string reason;
    std::unique_ptr<LoopTimer> timer;
  };

  bool on_message(const wire::Header& header, Channel::Received& received) override;
  void on_lost(Link& link, std::string reason) override;

  bool take_started(RunKey run, Channel::Received& received);
  bool take_start_failed(RunKey run, wire::Bytes body);
  bool take_exited(RunKey run, wire::Bytes body);
  bool take_left(RunKey run, wire::Bytes body);
  bool take_killed(RunKey run, wire::Bytes body);
  bool take_limit(RunKey run, wire::Bytes body);
  bool take_usage(wire::Bytes body);
  bool take_kept(RunKey run, Channel::Received& received);
  void drop_questions();
  bool has_time() override { return listener_.has_time(); }

  Status open_link();
  void fail_later(RunKey run, StartFailure failure);
  void later(std::function<void()> what);
  void run_later();
  void sweep_orphans(std::list<PendingSweep>::iterator pending);
  Entry* find(RunKey run);

  uv_loop_t* loop_;
  KeeperOptions options_;
  KeeperListener& listener_;
  KeeperProgram program_;
  OpenHandles handles_;
  Link* link_ = nullptr;  // owns itself; null while no keeper runs
  std::unordered_map<RunKey, Entry> runs_;
  std::list<PendingSweep> sweeps_;
  std::vector<std::function<void()>> later_;
  using OnUsage = std::function<void(const std::optional<TreeUsage>&)>;
  std::unordered_map<std::uint32_t, OnUsage> questions_;
  std::uint32_t last_question_ = 0;
  std::unique_ptr<LoopTimer> later_timer_;
  bool adopting_ = false;  // not all detached runs are reported yet
  bool adopted_ = false;   // it started no keeper itself
  bool shut_down_ = false;
  bool closing_ = false;
};

void ClientImpl::adopt(const std::string& control_socket) {
  adopted_ = true;
  const auto link = Link::adopt(loop_, control_socket, *this, handles_);
  if (!link) {
    later([this, status = link.status()] { listener_.on_adopted(*this, status); });
    return;
  }
  link_ = *link;
  adopting_ = true;
}

ClientImpl::Entry* ClientImpl::find(RunKey run) {
  const auto entry = runs_.find(run);
  return entry == runs_.end() ? nullptr : &entry->second;
}

Status ClientImpl::open_link() {
  if (shut_down_ || closing_) {
    return Status::error("shutdown", "the runtime is shutting down; nothing is started any more");
  }
  if (link_ != nullptr && !link_->restore_limits()) {
    link_->give_up("the limits of the keeper were lowered, as only a run can do");
  }
  if (link_ != nullptr) return {};
  if (adopted_) return Status::error("keeper_lost", "the keeper of this run is gone");
  // Built in, it is the same for each keeper that follows a lost one.
  if (!program_.bytes) {
    const auto path = find_keeper(options_.path);
    auto program = path ? open_keeper(*path) : Result<KeeperProgram>(path.status());
    if (!program) return program.status();
    program_ = std::move(*program);
  }
  const auto link = Link::open(loop_, program_, options_.open_files, *this, handles_);
  if (!link) return link.status();
  link_ = *link;
  return {};
}

Status ClientImpl::start(RunKey run, const StartRequest& request) {
  if (Status status = open_link(); !status) return status;
  runs_.emplace(run, Entry{}).first->second.kept = request.keep;
  if (const int error = start_request_error(request); error != 0) {
    fail_later(run, {StartStep::kRequest, error, ""});
    return {};
  }
  const bool fits = wire::strings_size(request) + kStartOverheadBytes <= wire::kMaxMessageBytes;
  FdList fds;
  if (!fits) {
    UniqueFd memfd;
    if (const int error = start_strings_to_memfd(request, memfd); error != 0) {
      fail_later(run, {StartStep::kRequest, error, ""});
      return {};
    }
    fds.add(std::move(memfd));
  }
  if (request.cleanup) {
    wire::encode_cleanup(link_->buffer(), run, *request.cleanup);
    link_->send();
  }
  wire::encode_start(link_->buffer(), run, request, fits);
  link_->send(std::move(fds));
  return {};
}

void ClientImpl::signal(RunKey run, int signal_number) {
  if (link_ == nullptr || find(run) == nullptr) return;
  wire::encode(link_->buffer(), run, wire::Signal{signal_number});
  link_->send();
}

void ClientImpl::kill(RunKey run, int signal_number, Millis grace) {
  Entry* entry = find(run);
  if (entry != nullptr && entry->phase == Phase::kLosing) return;
  if (entry == nullptr || link_ == nullptr) {
    later([this, run] { listener_.on_killed(run, KillReport{}); });
    return;
  }
  ++entry->kills;
  wire::encode(link_->buffer(), run, wire::Kill{signal_number, grace});
  link_->send();
}

void ClientImpl::usage(RunKey run, OnUsage on_usage) {
  // When the end of a run has just come, the keeper already knows what is left of it.
  const Entry* entry = find(run);
  if (entry == nullptr || link_ == nullptr || entry->phase == Phase::kLosing) {
    later([on_usage = std::move(on_usage)] { on_usage(std::nullopt); });
    return;
  }
  questions_[++last_question_] = std::move(on_usage);
  wire::encode(link_->buffer(), run, wire::Usage{last_question_});
  link_->send();
}

// Their keeper is gone.
void ClientImpl::drop_questions() {
  for (auto& [number, on_usage] : std::exchange(questions_, {})) {
    later([on_usage = std::move(on_usage)] { on_usage(std::nullopt); });
  }
}

void ClientImpl::cleanup_done(RunKey run, bool grant) {
  if (link_ == nullptr || find(run) == nullptr) return;
  wire::encode(link_->buffer(), run, wire::CleanupDone{grant});
  link_->send();
}

void ClientImpl::recorded(RunKey run, std::uint64_t out, std::uint64_t err, bool end) {
  if (link_ == nullptr || shut_down_) return;
  wire::encode(link_->buffer(), run, wire::RecordedMessage{out, err, end});
  link_->send();
}

void ClientImpl::forget(RunKey run) {
  const Entry* entry = find(run);
  if (entry == nullptr || entry->phase == Phase::kLosing) return;
  // The keeper has already forgotten another run whose tree is empty.
  const bool known = entry->active() || entry->kept;
  runs_.erase(run);
  if (link_ == nullptr || !known) return;
  wire::encode(link_->buffer(), run, wire::Forget{});
  link_->send();
}

void ClientImpl::shutdown(Millis grace) {
  if (shut_down_) return;
  shut_down_ = true;
  later_.clear();
  questions_.clear();
  runs_.clear();
  if (link_ == nullptr) return;
  wire::encode(link_->buffer(), 0, wire::Shutdown{grace});
  link_->send();
  link_->expect_nothing();
}

void ClientImpl::close(std::function<void()> on_closed) {
  if (closing_) return;
  closing_ = true;
  shut_down_ = true;
  later_.clear();
  runs_.clear();
  for (PendingSweep& pending : sweeps_) (void)pending.sweep.round();
  sweeps_.clear();
  if (link_ != nullptr) std::exchange(link_, nullptr)->close();
  handles_.when_none(std::move(on_closed));
  later_timer_.reset();
}

bool ClientImpl::on_message(const wire::Header& header, Channel::Received& received) {
  if (shut_down_) return true;
  const wire::Bytes body = wire::body_of(received.message);
  switch (header.type) {
    case wire::Type::kStarted:
      return take_started(header.run, received);
    case wire::Type::kStartFailed:
      return take_start_failed(header.run, body);
    case wire::Type::kExited:
      return take_exited(header.run, body);
    case wire::Type::kLeft:
      return take_left(header.run, body);
    case wire::Type::kKilled:
      return take_killed(header.run, body);
    case wire::Type::kLimit:
      return take_limit(header.run, body);
    case wire::Type::kUsageIs:
      return take_usage(body);
    case wire::Type::kDetached:
      return adopting_ && take_kept(header.run, received);
    case wire::Type::kDetachedAll:
      if (!std::exchange(adopting_, false)) return false;
      listener_.on_adopted(*this, Status());
      return true;
    case wire::Type::kHello:
    case wire::Type::kStart:
    case wire::Type::kSignal:
    case wire::Type::kKill:
    case wire::Type::kForget:
    case wire::Type::kShutdown:
    case wire::Type::kCleanup:
    case wire::Type::kCleanupDone:
    case wire::Type::kRecorded:
    case wire::Type::kUsage:
      return false;
  }
  return false;
}

bool ClientImpl::take_started(RunKey run, Channel::Received& received) {
  const auto message = wire::decode<wire::StartedMessage>(wire::body_of(received.message));
  if (!message) return false;
  Entry* entry = find(run);
  if (entry == nullptr) return true;  // forgotten meanwhile
  if (received.fds_lost) {
    // This process has no descriptors left, so it would never see the run's output.
    runs_.erase(run);
    wire::encode(link_->buffer(), run, wire::Kill{SIGKILL, Millis(0)});
    link_->send();
    wire::encode(link_->buffer(), run, wire::Forget{});
    link_->send();
    listener_.on_start_failed(run, {StartStep::kPipe, EMFILE, ""});
    return true;
  }
  if (received.fds.size() != message->fds()) return false;
  Started started;
  started.pid = message->pid;
  started.start_time = message->start_time;
  started.in_force = message->in_force;
  started.sandbox = message->sandbox;
  std::size_t next = 0;
  started.pidfd = std::move(received.fds[next++]);
  if (message->in) started.in = std::move(received.fds[next++]);
  if (message->out) started.out = std::move(received.fds[next++]);
  if (message->err) started.err = std::move(received.fds[next++]);
  entry->pid = message->pid;
  entry->start_time = message->start_time;
  entry->phase = Phase::kRunning;
  listener_.on_started(run, std::move(started));
  return true;
}

bool ClientImpl::take_start_failed(RunKey run, wire::Bytes body) {
  const auto failure = wire::decode<StartFailure>(body);
  if (!failure) return false;
  if (find(run) == nullptr) return true;
  runs_.erase(run);
  listener_.on_start_failed(run, *failure);
  return true;
}

bool ClientImpl::take_exited(RunKey run, wire::Bytes body) {
  const auto status = wire::decode<ExitStatus>(body);
  if (!status) return false;
  Entry* entry = find(run);
  if (entry == nullptr) return true;
  entry->phase = Phase::kExited;
  listener_.on_exited(run, *status);
  return true;
}

bool ClientImpl::take_left(RunKey run, wire::Bytes body) {
  const auto left = wire::decode<wire::Left>(body);
  if (!left) return false;
  Entry* entry = find(run);
  if (entry == nullptr) return true;
  entry->left = left->alive;
  listener_.on_left(run, left->alive);
  return true;
}

bool ClientImpl::take_killed(RunKey run, wire::Bytes body) {
  const auto report = wire::decode<KillReport>(body);
  if (!report) return false;
  Entry* entry = find(run);
  if (entry == nullptr) return true;
  if (entry->kills > 0) --entry->kills;
  listener_.on_killed(run, *report);
  return true;
}

bool ClientImpl::take_limit(RunKey run, wire::Bytes body) {
  const auto reached = wire::decode<LimitReached>(body);
  if (!reached) return false;
  if (find(run) != nullptr) listener_.on_limit(run, *reached);
  return true;
}

bool ClientImpl::take_usage(wire::Bytes body) {
  const auto is = wire::decode<wire::UsageIs>(body);
  if (!is) return false;
  const auto question = questions_.find(is->number);
  if (question == questions_.end()) return true;
  const OnUsage on_usage = std::move(question->second);
  questions_.erase(question);
  on_usage(is->known ? std::optional(is->usage) : std::nullopt);
  return true;
}

std::string read_memory(const UniqueFd& fd) {
  std::string bytes;
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || status.st_size <= 0) return bytes;
  bytes.resize(static_cast<std::size_t>(status.st_size));
  const ssize_t got = ::pread(fd.get(), bytes.data(), bytes.size(), 0);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

bool ClientImpl::take_kept(RunKey run, Channel::Received& received) {
  auto message = wire::decode<wire::DetachedMessage>(wire::body_of(received.message));
  if (!message || find(run) != nullptr) return false;
  const auto count =
      static_cast<std::size_t>(std::count(message->fds.begin(), message->fds.end(), true));
  // When this process has no room for all descriptors, the first ones arrive, and the output is
  // lost.
  if (!received.fds_lost && received.fds.size() != count) return false;
  std::array<UniqueFd, wire::kMaxFds> fds;
  std::size_t next = 0;
  for (std::size_t i = 0; i < fds.size(); ++i) {
    if (message->fds[i] && next < received.fds.size()) fds[i] = std::move(received.fds[next++]);
  }
  DetachedRun detached;
  detached.started.pid = message->started.pid;
  detached.started.start_time = message->started.start_time;
  detached.started.in_force = message->started.in_force;
  detached.started.sandbox = std::move(message->started.sandbox);
  detached.started.pidfd = std::move(fds[0]);
  detached.started.out = std::move(fds[1]);
  detached.started.err = std::move(fds[2]);
  detached.out = std::move(message->out);
  detached.err = std::move(message->err);
  // Without its memfd, what is kept is lost, and the end is known.
  detached.out.bytes = read_memory(fds[3]);
  detached.err.bytes = read_memory(fds[4]);
  detached.notes = std::move(message->notes);
  runs_[run] =
      Entry{detached.started.pid, detached.started.start_time, Phase::kRunning, 0, 0, true};
  listener_.on_detached(*this, run, std::move(detached));
  return true;
}

void ClientImpl::on_lost(Link& link, std::string reason) {
  drop_questions();
  if (adopted_ && !link.greeted()) {
    // The keeper belongs to another runtime or has just gone: there is nothing to end.
    link_ = nullptr;
    link.close();
    adopting_ = false;
    listener_.on_adopted(*this, Status::error("keeper_gone", reason));
    return;
  }
  std::vector<RunKey> lost;
  std::vector<ProcessIdentity> known;
  for (auto& [key, entry] : runs_) {
    if (!entry.active() || entry.phase == Phase::kLosing) continue;
    lost.push_back(key);
    if (entry.phase == Phase::kRunning) known.push_back({entry.pid, entry.start_time});
    entry.phase = Phase::kLosing;
  }
  std::sort(lost.begin(), lost.end());
  const std::uint32_t number = link.keeper_number();
  link_ = nullptr;
  link.close();
  sweeps_.emplace_front(OrphanSweep(number, std::move(known)), std::move(lost), std::move(reason));
  sweep_orphans(sweeps_.begin());
}

void ClientImpl::sweep_orphans(std::list<PendingSweep>::iterator pending) {
  if (!pending->sweep.round()) {
    if (!pending->timer) {
      pending->timer =
          std::make_unique<LoopTimer>(loop_, handles_, [this, pending] { sweep_orphans(pending); });
    }
    pending->timer->start(pending->sweep.pause());
    return;
  }
  std::vector<RunKey> runs = std::move(pending->runs);
  std::string reason = std::move(pending->reason);
  sweeps_.erase(pending);
  if (shut_down_) return;
  for (const RunKey run : runs) runs_.erase(run);
  const bool was_adopting = std::exchange(adopting_, false);
  listener_.on_keeper_lost(std::move(runs), reason);
  if (was_adopting) listener_.on_adopted(*this, Status::error("keeper_lost", reason));
}

void ClientImpl::fail_later(RunKey run, StartFailure failure) {
  later([this, run, failure] {
    if (find(run) == nullptr) return;
    runs_.erase(run);
    listener_.on_start_failed(run, failure);
  });
}

void ClientImpl::later(std::function<void()> what) {
  if (shut_down_) return;
  later_.push_back(std::move(what));
  later_timer_->start(Millis(0));
}

void ClientImpl::run_later() {
  for (const auto& what : std::exchange(later_, {})) {
    if (shut_down_) return;
    what();
  }
}

}  // namespace

std::unique_ptr<KeeperClient> KeeperClient::adopt(uv_loop_s* loop,
                                                  const std::string& control_socket,
                                                  KeeperListener& listener) {
  auto client = std::make_unique<ClientImpl>(loop, KeeperOptions{}, listener);
  client->adopt(control_socket);
  return client;
}

Result<std::unique_ptr<KeeperClient>> KeeperClient::create(uv_loop_s* loop, KeeperOptions options,
                                                           KeeperListener& listener) {
  // A keeper that cannot be started is found out here, not by the first run.
  if (const Status good = check_keeper_of(options.path); !good) return good;
  return std::unique_ptr<KeeperClient>(new ClientImpl(loop, std::move(options), listener));
}

}  // namespace gibbous
