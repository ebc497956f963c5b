// Order within a turn: first the ends of processes, so that an exit is reported before anything
// slow; then the library's messages; then one look at the children for all who need it.
#include "runtime/keeper/server.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "runtime/process/signals.h"
#include "runtime/sandbox/copies.h"

namespace gibbous::keeper {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kRetrySend{10};
// After the grace period, with time to spare: the warden takes over then.
constexpr milliseconds kEndingTakes{6'000};
constexpr milliseconds kCleanupsTake{60'000};
// Looking at the children takes at most a quarter of the time; a single exit is looked at at once.
constexpr int kCheckPause = 3;
constexpr milliseconds kMaxCheckPause{20};
constexpr milliseconds kCopiesPause{250};
// Stop reading from the library once this many replies are unsent.
constexpr std::size_t kMaxQueuedReplies = 4096;
constexpr int kShellSawKill = 128 + SIGKILL;  // how a shell ends after its command

std::string errno_text() {
  return std::strerror(errno);
}

Status failure(const char* what) {
  return Status::error("keeper", std::string(what) + ": " + errno_text());
}

std::chrono::microseconds micros(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

// The time of a reaped process and of those that it reaped itself.
std::chrono::microseconds cpu_of(const rusage& usage) {
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

ExitStatus to_exit_status(int status, const rusage& usage) {
  ExitStatus exit;
  if (WIFSIGNALED(status)) {
    exit.signal = WTERMSIG(status);
    exit.core = WCOREDUMP(status);
  } else {
    exit.code = WEXITSTATUS(status);
  }
  exit.user = micros(usage.ru_utime);
  exit.system = micros(usage.ru_stime);
  exit.max_rss_kib = static_cast<std::uint64_t>(std::max(usage.ru_maxrss, 0L));
  return exit;
}

}  // namespace

Result<std::unique_ptr<Server>> Server::create(UniqueFd socket, rlimit original_files,
                                               WardenPage* page) {
  std::unique_ptr<Server> server(new Server(std::move(socket), original_files, page));
  if (Status status = server->open(); !status) return status;
  return server;
}

Server::Server(UniqueFd socket, rlimit original_files, WardenPage* page)
    : channel_(std::move(socket), wire::kMaxMessageBytes),
      original_files_(original_files),
      page_(page) {}

Status Server::open() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return failure("PR_SET_CHILD_SUBREAPER");
  sigset_t all;
  ::sigfillset(&all);
  ::sigdelset(&all, SIGCONT);  // sent with every message, see stay_reachable()
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  signals_.reset(::signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals_) return failure("signalfd");
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return failure("epoll_create1");
  relays_.use(epoll_.get());
  // A child of the host that never execs may hold the socket open, so the host's end is watched
  // too.
  ucred host{};
  socklen_t size = sizeof host;
  if (::getsockopt(channel_.fd(), SOL_SOCKET, SO_PEERCRED, &host, &size) == 0 && host.pid > 0) {
    host_.reset(static_cast<int>(::syscall(SYS_pidfd_open, host.pid, 0U)));
    identify(host.pid);
  }
  for (const int fd : {signals_.get(), host_.get(), channel_.fd()}) {
    if (fd < 0) continue;
    epoll_event event{EPOLLIN, {.fd = fd}};
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return failure("epoll_ctl");
  }
  if (host_watch_.descriptor() >= 0) {
    epoll_event changes{EPOLLPRI, {.fd = host_watch_.descriptor()}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, host_watch_.descriptor(), &changes);
  }
  interest_ = EPOLLIN;
  return {};
}

void Server::run() {
  constexpr std::size_t kEvents = 16;
  std::array<epoll_event, kEvents> events;
  while (!lifecycle_.is(Phase::kDone)) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(kEvents),
                                   wait_ms(steady_clock::now()));
    // What a run's start would pay for is made while there is nothing else to do.
    if (count == 0 && may_make_ready()) limiter_->make_ready();
    if (count == 0 && own_scope_.wants_to_ask(steady_clock::now())) ask_for_scope();
    bool messages = false;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == signals_.get()) {
        take_signals();
      } else if (event.data.fd == channel_.fd()) {
        messages = (event.events & ~std::uint32_t{EPOLLOUT}) != 0;
        if ((event.events & EPOLLOUT) != 0) note_sending(channel_.flush());
      } else if (event.data.fd == host_.get()) {
        host_.reset();
        host_gone_ = true;
      } else if (event.data.fd == host_watch_.descriptor()) {
        host_watch_.arm(steady_clock::now());
      } else if (control_ && event.data.fd == control_->fd()) {
        accept_control();
      } else if (relays_.handle(event.data.fd, event.events)) {
        continue;
      } else if (KeeperRun* run = limiter_ ? limiter_->run_of_event(event.data.fd) : nullptr) {
        if (lifecycle_.is_ending() && !lifecycle_.is(Phase::kSparing)) continue;  // it ends anyway
        if (const auto reached = limiter_->look(*run)) {
          limit_reached(*run, *reached);
        } else {
          limiter_->look_again(*run, steady_clock::now());
        }
      } else {
        discard_output(event.data.fd);
      }
    }
    if (messages && !lifecycle_.is_ending()) take_messages();
    if (!usage_questions_.empty()) answer_usage_questions();
    if (host_gone_) lose_host();
    const Time now = steady_clock::now();
    if (!kill_requests_.empty() && !lifecycle_.is_ending()) begin_kills(now);
    if (!changed_.empty() && !lifecycle_.is_ending() && now >= next_check_) check_runs(now);
    tick(now);
    update_interest();
  }
}

void Server::tidy() {
  if (starter_) starter_->networks().end_all();
  // The kernel may take a moment to notice that a group is empty.
  constexpr int kAttempts = 50;
  constexpr milliseconds kPause{2};
  for (int i = 0; limiter_ && i < kAttempts && !limiter_->remove_all(); ++i) {
    std::this_thread::sleep_for(kPause);
  }
}

bool Server::may_make_ready() const {
  return limiter_ && has_host() && !lifecycle_.is_ending() && limiter_->lacks_ready();
}

int Server::wait_ms(Time now) const {
  if (may_make_ready()) return 0;
  Time until = retry_send_;
  if (cleanups_) until = std::min(until, cleanups_->due());
  if (lifecycle_.ends_processes()) until = std::min(until, ending_->due());
  if (!lifecycle_.is_ending()) {
    until = std::min({until, next_due_, delayed_starts_.due(), proofs_.due(), host_watch_.due(),
                      own_scope_.due()});
    if (limiter_) until = std::min(until, limiter_->due());
    until = std::min(until, copies_due_);
    if (!changed_.empty()) until = std::min(until, next_check_);
  }
  if (lifecycle_.is(Phase::kAlone)) until = std::min(until, alone_until_);
  if (lifecycle_.is(Phase::kVisited)) until = std::min(until, hello_until_);
  if (until == Time::max()) return -1;
  if (until <= now) return 0;
  const auto wait = std::chrono::ceil<milliseconds>(until - now);
  constexpr milliseconds kLongest{60'000};
  return static_cast<int>(std::min(wait, kLongest).count());
}

void Server::update_interest() {
  std::uint32_t wanted = 0;
  if (connected_ && !lifecycle_.is_ending() && channel_.queued() < kMaxQueuedReplies)
    wanted |= EPOLLIN;
  if (connected_ && channel_.has_queued() && retry_send_ == Time::max()) wanted |= EPOLLOUT;
  if (wanted == interest_) return;
  interest_ = wanted;
  epoll_event event{wanted, {.fd = channel_.fd()}};
  // With nothing wanted the descriptor leaves the set: epoll always reports a hang-up.
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, channel_.fd(), nullptr);
  if (wanted != 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, channel_.fd(), &event);
}

void Server::take_signals() {
  constexpr std::size_t kBatch = 16;
  std::array<signalfd_siginfo, kBatch> infos;
  const ssize_t got = ::read(signals_.get(), infos.data(), sizeof infos);
  const std::size_t count = got > 0 ? static_cast<std::size_t>(got) / sizeof infos[0] : 0;
  bool child = false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<int>(infos[i].ssi_signo);
    if (number == SIGCHLD) child = true;
    // SIGINT and SIGHUP come from a terminal and mean the host, not its keeper.
    if (number == SIGTERM) stop();
  }
  if (!child) return;
  reap();
  finish_ending();
}

void Server::reap() {
  for (;;) {
    // Look before reaping: an orphan's marks can be read while it is a zombie.
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      if (errno == EINTR) continue;
      // There are no children at all.
      if (lifecycle_.is(Phase::kEnding) || lifecycle_.is(Phase::kCleaningUp)) end_with_cleanups();
      return;
    }
    const pid_t pid = info.si_pid;
    if (pid == 0) return;
    KeeperRun* leads = process_table_ ? process_table_->find_leader(pid) : nullptr;
    KeeperRun* orphan_of = leads == nullptr && process_table_ && !lifecycle_.is_ending()
                               ? process_table_->run_of_orphan(pid)
                               : nullptr;
    int status = 0;
    rusage usage{};
    if (::wait4(pid, &status, WNOHANG, &usage) != pid) return;
    if (release_traced(pid, status)) continue;
    if (process_table_) process_table_->forget_process(pid);
    if (starter_ && starter_->networks().ended(pid)) continue;
    if (auto proven = proofs_.ended(pid)) {
      if (!lifecycle_.is_ending()) start_proven(std::move(*proven), status);
      continue;
    }
    if (const auto moved = own_scope_.ended(pid, status)) {
      if (*moved) limiter_->find_places_again();
      continue;
    }
    if (cleanups_ && cleanups_->ended(pid, status, steady_clock::now())) {
      if (lifecycle_.is(Phase::kCleaningUp)) end_with_cleanups();
      if (process_table_) let_go_of_names();
      continue;
    }
    if (leads == nullptr && process_table_) let_go_of_names();
    KeeperRun* of = leads != nullptr ? leads : orphan_of;
    if (of != nullptr) of->reaped_cpu += cpu_of(usage);
    if (leads != nullptr) {
      leader_ended(*leads, status, usage);
    } else if (orphan_of != nullptr) {
      if (orphan_of->job) orphan_of->job->seen.insert(pid);
      changed_.push_back(orphan_of->key);
    }
  }
}

void Server::leader_ended(KeeperRun& run, int status, const rusage& usage) {
  ExitStatus exit = to_exit_status(status, usage);
  if (run.keep) {
    run.keep->out.catch_up();
    run.keep->err.catch_up();
    exit.out_end = run.keep->out.end();
    exit.err_end = run.keep->err.end();
    run.keep->exit = exit;
  }
  exit.thrown_away = describe_changes(run.temporary.copies());
  if (run.connects) exit.refused = run.connects->refused();
  own_scope_.answered(steady_clock::now());
  const bool waits_for_host = run.keep && !has_host();
  const bool is_ending = lifecycle_.is_ending();
  const auto reached = waits_for_host || is_ending ? std::nullopt : limiter_->look(run);
  if (reached) {
    limit_reached(run, *reached);
  } else if (!is_ending && !run.job && (exit.signal == SIGKILL || exit.code == kShellSawKill)) {
    if (const auto around = limiter_->killed_around(run)) limit_reached(run, *around);
  }
  note_end(run, exit);
  if (waits_for_host) {
    changed_.push_back(run.key);
    return;
  }
  if (lifecycle_.is_ending()) return;
  if (!run.forgotten) {
    if (run.keep) note_unsettled(run.key);
    wire::encode(out_, run.key, exit);
    send();
  } else if (!run.job) {
    remove(run);
    return;
  }
  changed_.push_back(run.key);
}

// An empty tree cannot grow again, so the run is no longer needed.
void Server::remove_if_done(KeeperRun& run) {
  if (run.leader != 0 || run.job || (run.keep && !has_host())) return;
  if (run.keep && !run.keep->settled && !run.forgotten) return;
  if (run.forgotten || run.orphans.empty()) remove(run);
}

void Server::remove(KeeperRun& run) {
  limiter_->release(std::move(run.limits), steady_clock::now());
  starter_->networks().let_go(run.network_group);
  starter_->session_runs().set(run.mark_run, "");
  const bool was_kept = run.keep != nullptr;
  for (Placeholder& name : run.placeholders) {
    // One that is held already needs no second descriptor, unless what holds it is let go first.
    const bool known = !cleanups_->owes(run.key) &&
                       std::any_of(names_.begin(), names_.end(),
                                   [&](const HeldName& held) { return held.name.is_same(name); });
    if (known) {
      name.leave();
    } else {
      names_.push_back({run.key, std::move(name)});
    }
  }
  const std::string layers = run.temporary.has_layers() ? run.temporary.group()->name() : "";
  process_table_->remove(run);
  if (!layers.empty()) starter_->measure_layers(layers);
  let_go_of_names();
  if (was_kept) tell_warden_of_detached();
}

// Names are held for the next runs while there is a host. To remove one is to take the mount away
// that protects it, also from a process in the sandbox that has hidden to which run it belongs, and
// from what its cleanup command has yet to end.
void Server::let_go_of_names() {
  constexpr std::size_t kMostHeld = 64;
  if (names_.empty() || (has_host() && names_.size() <= kMostHeld)) return;
  process_table_->rescan();
  if (!process_table_->strangers().empty()) return;
  std::erase_if(names_, [this](const HeldName& held) { return !cleanups_->owes(held.run); });
}

Server::~Server() {
  const bool nothing_left = ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
  if (nothing_left) return;
  for (HeldName& held : names_) held.name.leave();
  if (!process_table_) return;
  process_table_->for_each([](KeeperRun& run) {
    for (Placeholder& name : run.placeholders) name.leave();
    run.temporary.leave();
    if (run.sockets) run.sockets->leave();
  });
}

void Server::tell_warden(Time until) {
  if (page_ != nullptr) page_->set_patience(until);
}

void Server::tell_warden_of_detached() {
  if (page_ == nullptr) return;
  std::vector<WardenPage::DetachedRun> detached;
  process_table_->for_each([&detached](const KeeperRun& run) {
    if (run.keep) detached.push_back({run.mark_run, run.group});
  });
  page_->set_detached(detached);
}

void Server::limit_reached(KeeperRun& run, LimitReached reached) {
  run.limit_hit = reached;
  if (run.keep && !has_host()) {
    run.keep->limit = reached;
  } else if (!run.forgotten) {
    wire::encode(out_, run.key, reached);
    send();
  }
  kill_requests_.push_back({run.key, {SIGKILL, Millis(0)}, true});
}

void Server::check_runs(Time now) {
  process_table_->rescan();
  std::vector<RunKey> keys = std::move(changed_);
  changed_.clear();
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const RunKey key : keys) {
    KeeperRun* run = process_table_->find(key);
    if (run == nullptr || run->leader != 0) continue;
    if (run->job) {
      killer_->check(*run);
      remove_if_done(*run);
    } else if (run->orphans.empty()) {
      report_left(*run, 0);
      remove_if_done(*run);
    } else {
      const auto alive = ProcessTable::alive(process_table_->members(*run)).size();
      // With none alive, they are about to be reaped, which leads here again.
      if (alive > 0) report_left(*run, static_cast<std::uint32_t>(alive));
    }
  }
  const auto cost = steady_clock::now() - now;
  if (lifecycle_.is(Phase::kAlone)) note_detached_ends();  // as of this rescan
  next_check_ = now + cost + std::min<steady_clock::duration>(cost * kCheckPause, kMaxCheckPause);
}

void Server::report_left(KeeperRun& run, std::uint32_t alive) {
  if (run.left == alive || run.forgotten) return;
  run.left = alive;
  wire::encode(out_, run.key, wire::Left{alive});
  send();
}

void Server::report_killed(KeeperRun& run, const KillReport& report, std::uint32_t reports) {
  const bool ended = report.how != KillReport::How::kSurvivors;  // else those are strangers
  if (run.leader == 0) {
    report_left(run, ended ? 0 : static_cast<std::uint32_t>(report.survivors.size()));
  }
  grant_and_report(run.key, report, run.forgotten ? 0 : reports);
}

void Server::grant_and_report(RunKey run, const KillReport& report, std::uint32_t reports) {
  const auto on_done = [this, run, report, reports](bool granted) {
    KillReport whole = report;
    whole.cleanup_failed = !granted;
    send_killed(run, whole, reports);
  };
  cleanups_->grant(run, on_done, steady_clock::now());
}

void Server::send_killed(RunKey run, const KillReport& report, std::uint32_t reports) {
  for (std::uint32_t i = 0; i < reports; ++i) {
    wire::encode(out_, run, report);
    send();
  }
}

void Server::end_with_cleanups() {
  if (!lifecycle_.on(Event::kAllEnded)) return;
  const Time now = steady_clock::now();
  const bool any = cleanups_->grant_all(now);
  tell_warden(any ? now + kCleanupsTake : now);  // without any, nothing takes long any more
  if (!any) (void)lifecycle_.on(Event::kCleanedUp);
}

void Server::begin_kills(Time now) {
  process_table_->rescan();
  for (const KillRequest& request : std::exchange(kill_requests_, {})) {
    KeeperRun* run = process_table_->find(request.run);
    if (run == nullptr) {
      if (request.own) continue;
      KillReport report;
      report.survivors = process_table_->strangers();
      grant_and_report(request.run, report, 1);
      continue;
    }
    killer_->begin(*run, request.kill.signal_number, request.kill.grace, now, !request.own);
    if (run->job) {
      killed_.push_back(run->key);
      next_due_ = std::min(next_due_, run->job->due);
    } else {
      remove_if_done(*run);
    }
  }
}

void Server::tick(Time now) {
  if (retry_send_ <= now) {
    retry_send_ = Time::max();
    note_sending(channel_.flush());
  }
  if (cleanups_) cleanups_->tick(now);
  if (lifecycle_.ends_processes() && now >= ending_->due()) {
    const bool given_up = !ending_->round(now);
    reap();
    finish_ending(given_up);
  }
  if (lifecycle_.is(Phase::kAlone) && now >= alone_until_) {
    process_table_->rescan();
    note_detached_ends();
    if (now >= alone_until_ && !cleanups_->running()) (void)lifecycle_.on(Event::kEndsExpired);
  }
  if (lifecycle_.is(Phase::kVisited) && now >= hello_until_) lose_host();
  if (lifecycle_.is_ending()) return;
  own_scope_.tick(now);
  if (starter_) retry_starts(now);
  const bool has_runs = process_table_ && !process_table_->empty();
  if (host_watch_.look(host_.get(), has_runs, now)) {
    host_.reset();
    lose_host();
    return;
  }
  if (limiter_ && now >= limiter_->due()) {
    for (const auto& [key, reached] : limiter_->tick(now)) {
      if (KeeperRun* run = process_table_->find(key)) limit_reached(*run, reached);
    }
    if (!kill_requests_.empty()) begin_kills(now);
  }
  if (now >= copies_due_) look_at_all_copies(now);
  if (now < next_due_) return;
  process_table_->rescan();
  next_due_ = Time::max();
  std::vector<RunKey> going_on;
  for (const RunKey key : std::exchange(killed_, {})) {
    KeeperRun* run = process_table_->find(key);
    if (run == nullptr || !run->job) continue;
    killer_->tick(*run, now);
    if (!run->job) {
      remove_if_done(*run);
      continue;
    }
    going_on.push_back(key);
    next_due_ = std::min(next_due_, run->job->due);
  }
  killed_ = std::move(going_on);
}

void Server::look_at_all_copies(Time now) {
  copies_due_ = Time::max();
  process_table_->for_each([&](KeeperRun& run) {
    RunCopies& copies = run.temporary.copies();
    if (copies.trees.empty() || run.limit_hit) return;
    copies_due_ = now + kCopiesPause;
    const CopiesLook look = look_at_copies(copies);
    if (look.measure) starter_->measure_copies(copies.directory);
    if (look.taken != 0) limit_reached(run, {LimitKind::kCopies, copies.limit, look.taken});
  });
  if (!kill_requests_.empty()) begin_kills(now);
}

void Server::send(FdList fds) {
  if (connected_) note_sending(channel_.send(out_, std::move(fds)));
}

void Server::note_sending(Channel::Outcome outcome) {
  switch (outcome) {
    case Channel::Outcome::kDone:
    case Channel::Outcome::kLater:
    case Channel::Outcome::kUnreadable:
      return;
    case Channel::Outcome::kOutOfFds:
      retry_send_ = steady_clock::now() + kRetrySend;
      return;
    case Channel::Outcome::kClosed:
      // The end of the turn handles it: this may be the middle of a walk over the runs.
      connected_ = false;
      host_gone_ = true;
      return;
  }
}

void Server::lose_host(Millis grace) {
  end_processes(Event::kHostLost, grace);
}

void Server::stop() {
  end_processes(Event::kStop, kHostDeathGrace);
}

void Server::end_processes(Event why, Millis grace) {
  const bool was_ending = lifecycle_.is_ending();
  // Kill requests of the same turn still count for runs that are spared.
  if (!was_ending && !kill_requests_.empty()) begin_kills(steady_clock::now());
  if (!was_ending) reap();  // what has ended by now ended by itself
  if (why == Event::kHostLost) end_notes_.host_lost(steady_clock::now());
  if (!lifecycle_.on(why, has_detached()) || !lifecycle_.ends_processes()) return;
  process_table_->spare_detached(lifecycle_.is(Phase::kSparing));
  end_networks();
  if (was_ending) return;
  tell_warden(steady_clock::now() + grace + kEndingTakes);
  delayed_starts_.clear();
  proofs_.clear();
  own_scope_.give_up();
  connected_ = connected_ && !lifecycle_.is(Phase::kSparing);
  if (control_) watch_control_socket(false);
  if (why == Event::kHostLost) watch_outputs();
  note_undisturbed();
  ending_ = std::make_unique<Ending>(*process_table_, grace, steady_clock::now());
  reap();
  finish_ending();
}

// What connects networks must not keep the keeper from its end.
void Server::end_networks() {
  std::unordered_set<std::string> kept;
  const bool spares = lifecycle_.is(Phase::kSparing);
  process_table_->for_each([&](const KeeperRun& run) {
    if (spares && run.keep) kept.insert(run.network_group);
  });
  starter_->networks().clear(kept);
}

void Server::finish_ending(bool given_up) {
  if (!lifecycle_.ends_processes()) return;
  process_table_->rescan();
  if (!given_up && !process_table_->all_members().empty()) return;
  if (lifecycle_.is(Phase::kSparing)) {
    stay_alone();
  } else {
    end_with_cleanups();
  }
}

}  // namespace gibbous::keeper
