#include "runtime/queue/worker.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "runtime/base/random_id.h"
#include "runtime/process/pid_space.h"
#include "runtime/process/proc.h"
#include "runtime/process/signals.h"

namespace gibbous {
namespace {

// Where no notices come: the interval while this worker executes runs, and while it does not.
constexpr Nanos kBusyLook{200'000'000};
constexpr Nanos kIdleLook{2'000'000'000};
// The interval between two attempts to settle what a dead worker left.
constexpr Nanos kSettle{200'000'000};
// The least time between two attempts to receive notices.
constexpr Nanos kReopen{10'000'000'000};
// The lease counts only where processes cannot be seen.
constexpr Millis kLease{60'000};
constexpr Nanos kBeat{25'000'000'000};

std::int64_t start_time_of(pid_t pid) {
  const auto stat = read_stat(pid);
  return stat ? static_cast<std::int64_t>(stat->start_time) : 0;
}

}  // namespace

Worker::Worker(uv_loop_s* loop, const Clock& clock, Runs& runs, Recording& recording,
               WorkerOptions options)
    : clock_(clock),
      runs_(runs),
      recording_(recording),
      recorder_(recording.recorder()),
      options_(std::move(options)),
      id_(std::to_string(::getpid()) + "-" + random_id()),
      boot_id_(pid_space()),
      sources_(loop, [this] { look(); }),
      sampler_(clock, runs,
               [this](const Run& run, const TreeUsage& usage) {
                 if (journal_ == nullptr) return;
                 const auto cpu = std::chrono::duration_cast<Millis>(usage.cpu);
                 (void)journal_->add_usage(run.id(), {0, static_cast<std::int64_t>(usage.rss_bytes),
                                                      cpu.count(), usage.processes});
               }),
      starts_(recording) {
  runs_.add_observer(this);
  recording_.on_join = [this](Journal& journal) { start(journal); };
  recording_.resumes_run = [this](const std::string& run_id) { return resume(run_id); };
  recording_.on_ending = [this] { stop(); };
  recording_.on_queue_changed = [this] { look(); };
}

Worker::~Worker() {
  stop();
}

std::optional<bool> Worker::is_alive(const WorkerRecord& worker) {
  return is_process_alive(worker.boot_id, worker.pid, worker.pid_started);
}

// --- Beginning and end --------------------------------------------------------------------------

void Worker::start(Journal& journal) {
  journal_ = &journal;
  WorkerRecord me;
  me.worker_id = id_;
  me.pid = ::getpid();
  me.pid_started = start_time_of(::getpid());
  me.boot_id = boot_id_;
  me.lease_until = (clock_.wall() + kLease).count();
  me.takes_over = options_.adopt;
  // The first run opens the journal, so there may be a keeper already.
  notified_keeper_ = runs_.keeper_pid();
  me.keeper_pid = notified_keeper_;
  me.keeper_started = notified_keeper_ != 0 ? start_time_of(notified_keeper_) : 0;
  beaten_ = clock_.now();
  looked_ = beaten_;
  open_sources();
  (void)journal.join(me, nullptr);
  if (options_.adopt) {
    adopt();
    recover_if_needed();
  } else {
    recording_.joined();
    drop_stale_records();
  }
  look();
  arm();
}

void Worker::open_sources() {
  opened_sources_ = clock_.now();
  std::vector<std::string> topics;
  if (options_.for_all) topics.emplace_back(kTopicOfAll);
  if (options_.for_unclaimed) topics.emplace_back(kTopicOfUnclaimed);
  for (const std::string& client : served_) topics.push_back(topic_of_client(client));
  (void)sources_.open(recording_.directory(), id_, topics);  // else it looks more often
}

void Worker::adopt() {
  if (!options_.adopt || adoption_ != Adoption::kNone) return;
  adoption_ = Adoption::kConnecting;
  runs_.adopt_detached([this] {
    adoption_ = Adoption::kDone;
    if (orphans_known_) on_adopted();
  });
}

void Worker::stop() {
  starts_.stop();
  if (std::exchange(stopped_, true)) return;
  runs_.remove_observer(this);
  recording_.alarms().clear(alarm_);
  if (journal_ != nullptr) {
    for (const auto& [id, run] : claimed_) (void)journal_->requeue(id, nullptr);
    (void)journal_->leave(nullptr);
  }
  journal_ = nullptr;
  sources_.close();
}

void Worker::on_queued(Run& run) {
  queued_.insert(run.id());
}

void Worker::on_state(Run& run) {
  claimed_.erase(run.id());
  queued_.erase(run.id());
  if (run.ended()) {
    sampler_.remove(run.id());
    inherited_.erase(run.id());
  } else {
    sampler_.add(run.id());
  }
  if (run.ended()) {
    // Without runs of its own in the queue, a look is cheaper than an attempt.
    if (enqueued_.empty() && !lacks_place_) {
      look();
    } else {
      claim();
    }
  }
  notify_queue_listeners();
  if (journal_ != nullptr && runs_.keeper_pid() != notified_keeper_) beat();
  arm();
}

// --- Other processes ----------------------------------------------------------------------------

void Worker::request_kill(const std::string& run_id, const std::string& signal,
                          std::function<void(Result<KillRequest>)> on_done) {
  if (journal_ == nullptr) {
    on_done(Status::error("no_journal", "nothing is recorded here"));
    return;
  }
  enqueued_.erase(run_id);
  auto waits = std::make_shared<std::function<void(Result<KillRequest>)>>(std::move(on_done));
  const auto answer = [waits](const Result<KillRequest>& request) {
    if (const auto once = std::exchange(*waits, nullptr)) once(request);
  };
  const int alarm = recording_.when_late([this, answer] {
    const Status busy = recording_.busy();
    answer(Status::error(
        busy.code(), "The kill is carried out once the journal can be written: " + busy.message()));
  });
  const Taken taken = journal_->request_kill(
      run_id, signal,
      mailed<KillRequest>([this, alarm, answer](const Result<KillRequest>& request) {
        recording_.alarms().clear(alarm);
        answer(request);
      }));
  if (taken == Taken::kYes) return;
  recording_.alarms().clear(alarm);
  answer(Status::error("journal_full", "the journal accepts nothing at the moment; try again"));
}

void Worker::take_backlog(const std::string& session,
                          std::function<void(Result<std::vector<BacklogMessage>>)> on_done) {
  if (journal_ == nullptr) {
    on_done(std::vector<BacklogMessage>{});
    return;
  }
  const Taken taken = journal_->take_backlog(session, mailed<std::vector<BacklogMessage>>(on_done));
  if (taken == Taken::kYes) return;
  on_done(Status::error("journal_full", "the journal accepts nothing at the moment; try again"));
}

void Worker::beat() {
  notified_keeper_ = runs_.keeper_pid();
  beaten_ = clock_.now();
  (void)journal_->heartbeat({(clock_.wall() + kLease).count(), notified_keeper_,
                             notified_keeper_ != 0 ? start_time_of(notified_keeper_) : 0});
}

bool Worker::is_busy() const {
  return runs_.active() > 0 || !queued_.empty() || !claimed_.empty() || !orphans_.empty() ||
         !queue_listeners_.empty();
}

Nanos Worker::look_interval() const {
  if (request_waits_) return kBusyLook;
  if (sources_.is_complete()) return options_.slow_look;
  return is_busy() ? kBusyLook : kIdleLook;
}

Nanos Worker::next_tick() const {
  Nanos next = std::min({looked_ + look_interval(), sampler_.due(), attempt_at_});
  if (is_busy()) next = std::min(next, beaten_ + kBeat);
  if (!orphans_.empty() || !wanted_.empty()) next = std::min(next, clock_.now() + kSettle);
  if (!released_.empty()) next = std::min(next, clock_.now() + kSettle);
  if (lease_end_ != 0) {
    const Millis left = Millis(lease_end_) - clock_.wall();
    next = std::min(next, clock_.now() + std::max<Nanos>(left, kBusyLook));
  }
  return next;
}

void Worker::arm() {
  if (journal_ == nullptr) return;
  const auto left = std::chrono::ceil<Millis>(next_tick() - clock_.now());
  recording_.alarms().clear(alarm_);
  alarm_ = recording_.alarms().set(std::max(left, Millis(1)), [this] { tick(); });
}

void Worker::tick() {
  if (journal_ == nullptr) return;
  const Nanos now = clock_.now();
  if (is_busy() && now - beaten_ >= kBeat) beat();
  if (!orphans_.empty()) settle();
  seek_wanted();
  look_after_released();
  sampler_.sample();
  if (attempt_at_ <= now) {
    attempt_at_ = Nanos::max();
    seen_changes_ = -1;
    look();
  }
  const bool lease_ended = lease_end_ != 0 && clock_.wall().count() >= lease_end_;
  if (lease_ended || now - looked_ >= look_interval()) look();
  arm();
}

NewsQuestion Worker::question() const {
  NewsQuestion question;
  question.worker_id = id_;
  question.boot_id = boot_id_;
  question.takes_over = options_.adopt;
  question.claims = options_.claim && execute != nullptr;
  question.scope = scope();
  question.seen_changes = seen_changes_;
  question.now = clock_.wall().count();
  return question;
}

void Worker::look() {
  if (journal_ == nullptr) return;
  if (looking_) {
    look_again_ = true;
    return;
  }
  looking_ = true;
  looked_ = clock_.now();
  if (looked_ - opened_sources_ >= kReopen && !sources_.is_in_place()) open_sources();
  recording_.look_up<Result<QueueNews>>(
      [asked = question()](JournalReader& reader) { return read_news(reader, asked); },
      [this](const Result<QueueNews>& news) {
        looking_ = false;
        if (news && journal_ != nullptr) on_news(*news);
        if (std::exchange(look_again_, false)) look();
      });
}

void Worker::on_news(const QueueNews& news) {
  seen_changes_ = news.changes;
  lease_end_ = news.lease_end;
  request_waits_ = false;
  for (const RunRequest& request : news.requests) carry_out(request);
  sources_.watch(news.to_watch);
  // While it recovers, the next look finds them again.
  const auto dead = recovering_ ? std::vector<std::string>{} : note_dead(news.dead);
  if (!dead.empty()) recover(dead);
  if (news.claimable || !dead.empty()) claim();
  for (const std::string& session : news.mail) {
    if (on_mail) on_mail(session);
  }
  if (news.changed) note_queue(news);
  if (news.changed || !dead.empty()) notify_queue_listeners();
  arm();
}

std::vector<std::string> Worker::note_dead(const std::vector<std::string>& dead) {
  std::vector<std::string> unknown;
  for (const std::string& worker : dead) {
    if (!known_dead_.insert(worker).second) continue;
    sources_.forget(worker);
    unknown.push_back(worker);
  }
  return unknown;
}

void Worker::carry_out(const RunRequest& request) {
  Run* run = runs_.find(request.run_id);
  // Its run may be about to start, or to come from its keeper.
  if (run == nullptr) request_waits_ = true;
  if (run == nullptr || !requests_.insert(request.id).second) return;
  const auto answer = [this, id = request.id](const std::string& text) {
    if (journal_ != nullptr) (void)journal_->answer(id, text);
    requests_.erase(id);
  };
  if (run->ended()) {
    answer("gone");
    return;
  }
  const int number =
      request.argument.empty() ? SIGTERM : signal_number_of("SIG" + request.argument);
  runs_.kill(*run, number == 0 ? SIGTERM : number, std::nullopt,
             [answer](Run&, const KillReport& report) { answer(to_string(report.how)); });
}

}  // namespace gibbous
