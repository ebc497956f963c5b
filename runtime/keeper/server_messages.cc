// Server, answers to the library: one function per message. The loop around them is in server.cc.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "runtime/keeper/server.h"

namespace gibbous::keeper {
namespace {

// The limits of a turn, so that exits do not wait longer; starts are the slow messages.
constexpr int kMessagesPerTurn = 64;
constexpr int kStartsPerTurn = 4;
constexpr const char* kUnanswered =
    "a file system that its directory, its program or its sandbox needs does not answer";
constexpr const char* kTooManyUnanswered =
    "too many starts wait for file systems that do not answer";

}  // namespace

void Server::take_messages() {
  int starts = 0;
  for (int i = 0; i < kMessagesPerTurn && starts < kStartsPerTurn; ++i) {
    Channel::Received received;
    switch (channel_.receive(received)) {
      case Channel::Outcome::kDone: {
        const auto header = wire::decode_header(received.message);
        if (header && header->type == wire::Type::kStart) ++starts;
        if (!handle(received)) lose_host();
        if (lifecycle_.is_ending()) return;
        break;
      }
      case Channel::Outcome::kLater:
      case Channel::Outcome::kOutOfFds:
        return;
      case Channel::Outcome::kClosed:
      case Channel::Outcome::kUnreadable:
        connected_ = false;
        lose_host();
        return;
    }
  }
}

bool Server::handle(Channel::Received& received) {
  const auto header = wire::decode_header(received.message);
  if (!header) return false;
  const wire::Bytes body = wire::body_of(received.message);
  if (header->type == wire::Type::kHello) return handle_hello(*header, body);
  if (!lifecycle_.serves() || header->version != wire::kVersion) return false;
  switch (header->type) {
    case wire::Type::kStart:
      return handle_start(header->run, received);
    case wire::Type::kCleanup:
      return handle_cleanup(header->run, body);
    case wire::Type::kCleanupDone:
      return handle_cleanup_done(header->run, body);
    case wire::Type::kSignal:
      return handle_signal(header->run, body);
    case wire::Type::kKill:
      return handle_kill(header->run, body);
    case wire::Type::kForget:
      return handle_forget(header->run, body);
    case wire::Type::kUsage:
      return handle_usage(header->run, body);
    case wire::Type::kRecorded:
      return handle_recorded(header->run, body);
    case wire::Type::kShutdown:
      return handle_shutdown(body);
    case wire::Type::kHello:
    case wire::Type::kStarted:
    case wire::Type::kStartFailed:
    case wire::Type::kExited:
    case wire::Type::kLeft:
    case wire::Type::kKilled:
    case wire::Type::kLimit:
    case wire::Type::kUsageIs:
    case wire::Type::kDetached:
    case wire::Type::kDetachedAll:
      return false;
  }
  return false;
}

bool Server::handle_hello(const wire::Header& header, wire::Bytes body) {
  const auto hello = wire::decode<wire::Hello>(body);
  if (!hello || !lifecycle_.awaits_hello()) return false;
  const bool takes_over = lifecycle_.is(Phase::kVisited);
  if (!takes_over) keeper_number_ = hello->keeper;
  // A host of another version reads this keeper's version in the answer, and hangs up.
  wire::encode(out_, 0, wire::Hello{keeper_number_});
  send();
  if (header.version != wire::kVersion || !lifecycle_.on(Event::kHello)) return false;
  if (takes_over) {
    end_notes_.host_came();
    hand_over();
    return true;
  }
  for (const int resource : kMarkResources) {
    const MarkMode mode = mark_mode(resource);
    if (mode == MarkMode::kNone) continue;
    // This mark identifies a child that has not set its own yet.
    rlimit limit = mark_limit({hello->keeper, 0}, mode, resource);
    if (mode == MarkMode::kHard) limit.rlim_max = RLIM_INFINITY;
    ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
  }
  starter_ = std::make_unique<Starter>(
      original_files_, mounts_,
      [this](const std::string& directory) { return open_control_socket(directory); },
      [this](pid_t pid) { process_table_->set_apart(pid); });
  starter_->processes_of = [this](const std::string& session, bool held) {
    std::vector<pid_t> all;
    process_table_->rescan();
    process_table_->for_each([&](KeeperRun& run) {
      const bool counts = held ? starter_->session_runs().holds(session, run.mark_run)
                               : run.outside_group == session;
      if (!counts) return;
      for (const pid_t pid : process_table_->members(run)) all.push_back(pid);
    });
    return all;
  };
  if (page_ != nullptr) page_->set_keeper(hello->keeper);
  ::prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);  // from now on its host knows it
  process_table_ = std::make_unique<ProcessTable>(hello->keeper, ProcessTree());
  limiter_ = std::make_unique<Limiter>(*process_table_, epoll_.get(), hello->keeper);
  cleanups_ = std::make_unique<CleanupCommands>(
      [this](wire::Bytes cleanup) { return start_cleanup(cleanup); });
  killer_ = std::make_unique<Killer>(
      *process_table_, [this](KeeperRun& run, const KillReport& report, std::uint32_t reports) {
        report_killed(run, report, reports);
      });
  return true;
}

bool Server::fail_start(RunKey key, const StartFailure& failure) {
  if (process_table_->find(key) == nullptr) cleanups_->forget(key);
  wire::encode(out_, key, failure);
  send();
  return true;
}

bool Server::handle_start(RunKey key, Channel::Received& received) {
  // Each host starts its runs through the keeper that it started itself.
  if (lifecycle_.is(Phase::kTakenOver)) return false;
  if (process_table_->find(key) != nullptr || delayed_starts_.contains(key) ||
      proofs_.contains(key)) {
    return fail_start(key, {StartStep::kRequest, EEXIST, ""});
  }
  if (received.fds_lost) {
    return fail_start(key, {StartStep::kRequest, EMFILE, ""});
  }
  const wire::Bytes body = wire::body_of(received.message);
  UniqueFd strings = received.fds.size() > 0 ? std::move(received.fds[0]) : UniqueFd();
  if (prove_first(key, body, strings)) return true;
  const auto failure = start(key, body, strings);
  if (!failure) return true;
  if (!DelayedStarts::is_momentary(*failure)) return fail_start(key, *failure);
  DelayedStart delayed;
  delayed.run = key;
  delayed.body.assign(body.begin(), body.end());
  delayed.strings = std::move(strings);
  if (delayed_starts_.delay(delayed, std::chrono::steady_clock::now())) return true;
  return fail_start(key, *failure);
}

bool Server::prove_first(RunKey key, wire::Bytes body, UniqueFd& strings) {
  const auto start = wire::decode_start(body);
  if (!start || !starter_->is_doubtful(*start, strings)) return false;
  const pid_t pid = proofs_.is_full() ? 0 : starter_->launch_trial(body, strings);
  if (pid == 0) return fail_start(key, {StartStep::kFork, EAGAIN, kTooManyUnanswered});
  process_table_->set_apart(pid);
  DelayedStart waiting;
  waiting.run = key;
  waiting.body.assign(body.begin(), body.end());
  waiting.strings = std::move(strings);
  proofs_.add(std::move(waiting), std::chrono::steady_clock::now(), pid);
  return true;
}

void Server::start_proven(DelayedStart proven, int status) {
  // One that was killed has proven nothing.
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fail_start(proven.run, {StartStep::kChdir, ETIMEDOUT, kUnanswered});
    return;
  }
  const auto failure = start(proven.run, proven.body, proven.strings);
  if (!failure) return;
  const Time now = std::chrono::steady_clock::now();
  if (DelayedStarts::is_momentary(*failure) && delayed_starts_.delay(proven, now)) return;
  fail_start(proven.run, *failure);
}

void Server::retry_starts(Time now) {
  while (const auto unproven = proofs_.take_due(now)) {
    fail_start(unproven->run, {StartStep::kChdir, ETIMEDOUT, kUnanswered});
  }
  for (int i = 0; i < kStartsPerTurn; ++i) {
    auto delayed = delayed_starts_.take_due(now);
    if (!delayed) return;
    const auto failure = start(delayed->run, delayed->body, delayed->strings);
    if (!failure) continue;
    if (DelayedStarts::is_momentary(*failure) && delayed_starts_.delay(*delayed, now)) continue;
    fail_start(delayed->run, *failure);
  }
}

void Server::drop_delayed_start(RunKey key) {
  if (proofs_.take(key)) fail_start(key, {StartStep::kChdir, ETIMEDOUT, kUnanswered});
  if (const auto delayed = delayed_starts_.take(key)) {
    fail_start(key, {StartStep::kFork, EAGAIN, ""});
  }
}

std::optional<StartFailure> Server::start(RunKey key, wire::Bytes body, const UniqueFd& strings) {
  const auto start = wire::decode_start(body);
  if (!start) return StartFailure{StartStep::kRequest, EINVAL, ""};
  // What ended runs of its session have written to their layers is for it to see.
  const auto holds_layers = [this](RunKey each) {
    const KeeperRun* run = process_table_->find(each);
    return run != nullptr && run->leader == 0 && run->temporary.has_layers();
  };
  if (start->sandboxed && std::any_of(changed_.begin(), changed_.end(), holds_layers)) {
    check_runs(std::chrono::steady_clock::now());
  }
  std::array<RelayPipe, 2> pipes;
  for (RelayPipe& pipe : pipes) {
    if (start->keep) pipe = RelayPipe::make();
    if (start->keep && !pipe.writer) return StartFailure{StartStep::kPipe, errno, ""};
  }
  auto limits = limiter_->prepare(start->tree_limits);
  if (!limits) {
    return StartFailure{StartStep::kGroup, ENOTSUP, limits.status().message()};
  }
  const RunGroup* group = (*limits)->group.get();
  const Mark mark = process_table_->next_mark();
  // Before it lives: the warden must know it as detached.
  if (start->keep && page_ != nullptr) {
    page_->add_detached({mark.run, group == nullptr ? 0 : group->number()});
  }
  StartOutcome outcome = starter_->start(*start, strings, mark, group);
  if (outcome.failure) {
    starter_->session_runs().set(mark.run, "");
    limiter_->release(std::move(*limits), std::chrono::steady_clock::now());
    if (start->keep) tell_warden_of_detached();
    return outcome.failure;
  }
  outcome.started.in_force = (*limits)->in_force;
  std::unique_ptr<Detached> detached;
  if (start->keep) {
    detached = std::make_unique<Detached>(relays_, std::move(outcome.kept_out),
                                          std::move(outcome.kept_err));
    detached->notes = outcome.notes;
    detached->terminal = start->terminal.has_value();
    connect(*detached, std::move(pipes), outcome.started, outcome.fds);
    detached->started = outcome.started;
  }
  std::array<UniqueFd, 2> outputs{std::move(outcome.kept_out), std::move(outcome.kept_err)};
  wire::encode(out_, key, outcome.started);
  send(std::move(outcome.fds));
  KeeperRun& run = process_table_->add(key, mark, outcome.started.pid, std::move(outcome.env_tag));
  if (group != nullptr) run.group = group->number();
  run.stdin_device = outcome.stdin_device;
  run.stdin_inode = outcome.stdin_inode;
  run.placeholders = std::move(outcome.placeholders);
  run.temporary = std::move(outcome.temporary);
  if (!run.temporary.copies().trees.empty()) copies_due_ = std::chrono::steady_clock::now();
  run.sockets = std::move(outcome.sockets);
  run.outside_group = std::move(outcome.outside_group);
  run.network_group = std::move(outcome.network_group);
  run.connects = std::move(outcome.connects);
  run.limits = std::move(*limits);
  limiter_->begin(run, std::chrono::steady_clock::now());
  run.keep = std::move(detached);
  if (run.keep) tell_warden_of_detached();
  run.outputs = std::move(outputs);
  run.terminal = start->terminal.has_value();
  run.end_place = std::move(outcome.end_place);
  run.start_time = outcome.started.start_time;
  run.started_at = wall_millis();
  host_watch_.arm(std::chrono::steady_clock::now());
  own_scope_.started(std::chrono::steady_clock::now());
  return std::nullopt;
}

// Runs that have started before the keeper is moved go on without a group.
void Server::ask_for_scope() {
  if (!lifecycle_.is(Phase::kServing) || limiter_->has_groups()) {
    own_scope_.give_up();
    return;
  }
  const pid_t warden = page_ == nullptr ? 0 : page_->warden();
  const pid_t pid = own_scope_.ask(keeper_number_, warden, std::chrono::steady_clock::now());
  if (pid > 0) process_table_->set_apart(pid);
}

bool Server::handle_cleanup(RunKey key, wire::Bytes body) {
  const auto cleanup = wire::decode_start(body);
  if (!cleanup || !cleanup->inline_strings || lifecycle_.is(Phase::kTakenOver)) {
    return false;
  }
  if (process_table_->find(key) == nullptr) cleanups_->keep(key, body);
  return true;
}

bool Server::handle_cleanup_done(RunKey key, wire::Bytes body) {
  const auto over = wire::decode<wire::CleanupDone>(body);
  if (!over) return false;
  if (over->grant) cleanups_->grant(key, nullptr, std::chrono::steady_clock::now());
  cleanups_->forget(key);
  let_go_of_names();
  return true;
}

pid_t Server::start_cleanup(wire::Bytes body) {
  const auto cleanup = wire::decode_start(body);
  if (!cleanup) return 0;
  const bool apart = starter_->is_doubtful(*cleanup, UniqueFd());
  const StartOutcome outcome =
      starter_->start(*cleanup, UniqueFd(), process_table_->next_mark(), nullptr, apart);
  if (outcome.failure) return 0;
  process_table_->set_apart(outcome.started.pid);
  return outcome.started.pid;
}

bool Server::handle_signal(RunKey key, wire::Bytes body) {
  const auto signal = wire::decode<wire::Signal>(body);
  if (!signal || signal->signal_number < 1 || signal->signal_number >= NSIG) return false;
  process_table_->rescan();
  if (const KeeperRun* run = process_table_->find(key)) {
    process_table_->signal(*run, process_table_->members(*run), signal->signal_number);
  }
  return true;
}

bool Server::handle_kill(RunKey key, wire::Bytes body) {
  const auto kill = wire::decode<wire::Kill>(body);
  if (!kill || kill->signal_number < 1 || kill->signal_number >= NSIG) return false;
  drop_delayed_start(key);
  // The group need not wait for the walk down the tree: after SIGKILL the walk misses nothing,
  // because a process of the group that would reap dies with it.
  const KeeperRun* run = kill->signal_number == SIGKILL ? process_table_->find(key) : nullptr;
  if (run != nullptr) ProcessTable::signal_group(*run, SIGKILL);
  kill_requests_.push_back({key, *kill});
  return true;
}

bool Server::handle_usage(RunKey key, wire::Bytes body) {
  const auto number = wire::decode<wire::Usage>(body);
  if (!number) return false;
  usage_questions_.emplace_back(key, number->number);
  return true;
}

void Server::answer_usage_questions() {
  if (lifecycle_.is_ending()) {
    usage_questions_.clear();
    return;
  }
  process_table_->rescan();
  UsageSurvey survey;
  for (const auto& [key, number] : std::exchange(usage_questions_, {})) {
    wire::UsageIs is;
    is.number = number;
    if (const KeeperRun* run = process_table_->find(key)) {
      is.known = true;
      const std::vector<pid_t> members = process_table_->members(*run);
      is.usage = survey.read({.pids = members,
                              .stdin_inode = run->stdin_inode,
                              .stdin_device = run->stdin_device,
                              .ports = true,
                              .waiting = true,
                              .names = run->leader == 0});
      is.usage.cpu += run->reaped_cpu;
    }
    wire::encode(out_, key, is);
    send();
  }
}

bool Server::handle_forget(RunKey key, wire::Bytes body) {
  if (!wire::decode<wire::Forget>(body)) return false;
  drop_delayed_start(key);
  // Earlier kill requests still count.
  if (!kill_requests_.empty()) begin_kills(std::chrono::steady_clock::now());
  KeeperRun* run = process_table_->find(key);
  if (run == nullptr) return true;
  if (run->leader == 0 && !run->job) {
    remove(*run);
  } else {
    // The run goes on without a reader.
    if (run->keep) disconnect(*run->keep);
    run->outputs = {};
    run->forgotten = true;
  }
  return true;
}

bool Server::handle_recorded(RunKey key, wire::Bytes body) {
  const auto recorded = wire::decode<wire::RecordedMessage>(body);
  if (!recorded) return false;
  KeeperRun* run = process_table_->find(key);
  if (run == nullptr || !run->keep) return true;
  run->keep->out.recorded(recorded->out);
  run->keep->err.recorded(recorded->err);
  if (recorded->end && run->leader == 0) settle(*run);
  return true;
}

bool Server::handle_shutdown(wire::Bytes body) {
  const auto shutdown = wire::decode<wire::Shutdown>(body);
  if (!shutdown) return false;
  end_notes_.host_done();
  lose_host(shutdown->grace);
  return true;
}

}  // namespace gibbous::keeper
