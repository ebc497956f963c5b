#include "bindings/host/backlog.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "bindings/json/text.h"
#include "runtime/base/session_name.h"

namespace gibbous::host {
namespace {

constexpr std::string_view kEnded = "run_ended";
constexpr const char* kInherited = "run_inherited";
constexpr std::size_t kMaxRunsLookedAt = 200;
constexpr std::string_view kDropped = "events_dropped";

// Events that say no more than bg_status does, but for the end.
bool is_about_state(std::string_view event) {
  constexpr std::array<std::string_view, 4> kNames = {"run_started", "run_ready", "run_not_ready",
                                                      "run_requeued"};
  return std::find(kNames.begin(), kNames.end(), event) != kNames.end();
}

std::string inherited_event(const std::string& session, const RunRecord& run) {
  OrderedJson event = {
      {"event", kInherited}, {"session", session}, {"run", run.run_id}, {"command", run.command}};
  event["state"] = run.status;
  const Json meta = Json::parse(run.meta_json, nullptr, false);
  if (meta.is_object() && meta.contains("label")) event["label"] = meta["label"];
  return to_text(event);
}

bool is_event(const std::string& payload) {
  const Json event = Json::parse(payload, nullptr, false);
  return event.is_object() && event.contains("event") && event["event"].is_string();
}

std::string dropped_event(std::string_view session, std::size_t count) {
  const OrderedJson event = {
      {"event", kDropped}, {"session", std::string(session)}, {"count", count}};
  return to_text(event);
}

}  // namespace

Backlog::Backlog(Recording& recording, Worker& worker,
                 std::function<void(const std::string& message)> on_problem)
    : recording_(recording), worker_(worker), on_problem_(std::move(on_problem)) {
  recording_.on_writable([this, alive = std::weak_ptr<const int>(lifetime_)] {
    if (alive.expired()) return;
    blocked_ = false;
    write();
  });
}

void Backlog::add(const Event& event, const std::string& run, bool for_agent,
                  const std::string& saved) {
  if (sessions_.size() >= kMaxBacklogSessions && sessions_.count(event.session) == 0) return;
  Session& session = sessions_[event.session];
  if (event.name == kEnded && session.reported_ends.erase(run) > 0) for_agent = false;
  session.messages.push_back({++session.last_seq, event.json, for_agent, run, event.name});
  save(event.session, session.messages.back(), saved);
  if (session.messages.size() <= kMaxBacklogEvents) return;
  forget_saved(event.session, session.messages.front().seq);
  session.messages.pop_front();
  ++session.dropped;
}

void Backlog::note_reported(std::string_view name, const ReportedRun& run) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end()) return;
  Session& session = found->second;
  bool knows_end = false;
  for (Message& message : session.messages) {
    if (message.run != run.run) continue;
    const bool is_end = message.event == kEnded;
    knows_end = knows_end || is_end;
    if (is_end ? run.ended : is_about_state(message.event)) message.for_agent = false;
  }
  if (!run.ended || knows_end) return;
  if (session.reported_ends.size() >= kMaxReportedEnds) session.reported_ends.clear();
  session.reported_ends.insert(run.run);
}

std::vector<std::string> Backlog::drain(std::string_view name) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end()) return {};
  Session& session = found->second;
  std::vector<std::string> events;
  if (session.dropped > 0) events.push_back(dropped_event(name, session.dropped));
  const bool any = !session.messages.empty();
  std::deque<Message> stay;
  for (Message& message : session.messages) {
    // The journal is giving those of other processes again, and would find them gone.
    if (session.recalling && message.seq == 0) {
      stay.push_back(std::move(message));
    } else {
      events.push_back(std::move(message.json));
    }
  }
  if (any) given_[found->first] = session.last_seq;
  session.messages = std::move(stay);
  session.dropped = 0;
  return events;
}

std::vector<std::string> Backlog::drain_for_agent(std::string_view name) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end()) return {};
  auto& messages = found->second.messages;
  std::erase_if(messages, [](const Message& message) { return !message.for_agent; });
  if (messages.empty()) {
    // Nothing of what is saved is for the agent any more.
    if (found->second.last_seq > 0 || found->second.has_recalled) {
      given_[found->first] = found->second.last_seq;
    }
    return {};
  }
  const std::size_t left_out =
      messages.size() > kMaxResultEvents ? messages.size() - kMaxResultEvents : 0;
  found->second.dropped += left_out;
  messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(left_out));
  return drain(name);
}

void Backlog::recall(const std::string& name, std::function<void()> done) {
  Session& session = sessions_[name];
  if (session.recalled || !recording_.has_past()) {
    session.recalled = true;
    done();
    return;
  }
  if (session.is_late) return done();  // what is recalled later comes with a later result
  session.waiting.push_back(std::move(done));
  if (std::exchange(session.recalling, true)) return;
  const int alarm = recording_.when_late([this, alive = std::weak_ptr<const int>(lifetime_), name] {
    if (!alive.expired()) go_on_without(sessions_[name]);
  });
  const auto finish = [this, name, alarm](bool recalled, std::vector<BacklogMessage> taken) {
    recording_.alarms().clear(alarm);
    Session& of = sessions_[name];
    of.recalled = recalled && !std::exchange(of.recall_again, false);
    of.recalling = of.is_late = false;
    add_recalled(of, std::move(taken));
    add_inherited(name, [this, name] {
      for (const auto& then : std::exchange(sessions_[name].waiting, {})) then();
    });
  };
  recording_.when_open([this, name, finish](const Status& open) {
    if (!open) {
      finish(open.code() == "no_journal", {});  // others are tried again
      return;
    }
    blocked_ = false;
    write();
    // A drain that came later would take away what is recalled now.
    if (drains_.contains(name) || given_.contains(name)) {
      finish(false, {});
      return;
    }
    worker_.take_backlog(name, [finish](Result<std::vector<BacklogMessage>> taken) {
      finish(taken.ok(), taken ? std::move(*taken) : std::vector<BacklogMessage>{});
    });
  });
}

// Those that were recalled before and not delivered come again, with those that are new.
void Backlog::add_recalled(Session& session, std::vector<BacklogMessage> taken) {
  session.has_recalled = session.has_recalled || !taken.empty();
  std::multiset<std::string> known;
  for (const Message& message : session.messages) {
    if (message.seq == 0) known.insert(message.json);
  }
  for (auto message = taken.rbegin(); message != taken.rend(); ++message) {
    if (const auto same = known.find(message->payload); same != known.end()) {
      known.erase(same);
      continue;
    }
    if (!is_event(message->payload)) continue;  // the file is damaged
    session.messages.push_front({0, std::move(message->payload), message->for_agent,
                                 std::move(message->run_id), std::move(message->event)});
  }
}

void Backlog::recall_again(const std::string& name) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end()) return;
  found->second.recall_again = found->second.recalling;
  found->second.recalled = false;
}

void Backlog::go_on_without(Session& session) {
  if (!session.recalling) return;
  session.is_late = true;
  for (const auto& then : std::exchange(session.waiting, {})) then();
}

// Adds what an earlier process of the session queued and this one executes.
void Backlog::add_inherited(const std::string& session, std::function<void()> then) {
  Session& of = sessions_[session];
  if (!of.recalled || !is_claimed_session(session)) return then();
  if (!std::exchange(of.inherits, false)) return then();
  recording_.runs(
      "", false, kMaxRunsLookedAt,
      [this, alive = std::weak_ptr<const int>(lifetime_), session,
       then](Result<std::vector<RunRecord>> runs) {
        if (alive.expired()) return;
        auto& messages = sessions_[session].messages;
        for (const RunRecord& run : runs ? *runs : std::vector<RunRecord>{}) {
          if (run.client != session || !worker_.is_inherited(run)) continue;
          messages.push_front({0, inherited_event(session, run), true, run.run_id, kInherited});
        }
        then();
      });
}

void Backlog::give_up() {
  for (auto& [name, session] : sessions_) {
    for (const auto& then : std::exchange(session.waiting, {})) then();
  }
}

void Backlog::note_given() {
  for (auto given = given_.begin(); given != given_.end();) {
    const auto& [name, seq] = *given;
    Session& session = sessions_[name];
    // What is being recalled would be forgotten with it.
    if (session.recalling) {
      ++given;
      continue;
    }
    session.has_recalled = false;
    forget_saved(name, seq);
    given = given_.erase(given);
  }
}

void Backlog::save(const std::string& session, const Message& message, const std::string& json) {
  if (!recording_.is_enabled()) return;
  const bool elsewhere = is_claimed_session(session) && !worker_.serves(session);
  unsaved_.push_back(
      {session, message.seq, message.run, message.event, json, 0, message.for_agent, elsewhere});
  unsaved_bytes_ += json.size();
  write();
  while (unsaved_bytes_ > kMaxUnsavedBytes) drop_oldest_unsaved();
}

void Backlog::drop_oldest_unsaved() {
  const BacklogMessage& oldest = unsaved_.front();
  gaps_[oldest.session_id].last_seq = oldest.seq;
  ++gaps_[oldest.session_id].count;
  unsaved_bytes_ -= oldest.payload.size();
  unsaved_.pop_front();
  ++lost_;
  report("more than " + std::to_string(kMaxUnsavedBytes >> 20) +
         " MiB of them wait for the journal");
}

void Backlog::open() {
  if (std::exchange(opening_, true)) return;
  recording_.when_open([this, alive = std::weak_ptr<const int>(lifetime_)](const Status& status) {
    if (alive.expired()) return;
    opening_ = false;
    if (status) return write();
    blocked_ = true;  // until it is open
    report(status.message());
    if (status.code() != "no_journal") return;
    lost_ += unsaved_.size();
    unsaved_.clear();
    unsaved_bytes_ = 0;
    gaps_.clear();
    drains_.clear();
  });
}

void Backlog::write() {
  if (blocked_ || waiting() == 0) return;
  Journal* journal = recording_.journal();
  if (journal == nullptr) return open();
  if (write_drains(*journal) && write_gaps(*journal) && write_events(*journal)) reported_ = false;
}

bool Backlog::write_drains(Journal& journal) {
  while (!drains_.empty()) {
    const auto& [session, through_seq] = *drains_.begin();
    if (!is_settled(journal.drain_backlog(session, through_seq))) return false;
    drains_.erase(drains_.begin());
  }
  return true;
}

bool Backlog::write_gaps(Journal& journal) {
  while (!gaps_.empty()) {
    const auto& [session, gap] = *gaps_.begin();
    const BacklogMessage note = {
        session, gap.last_seq, "", std::string(kDropped), dropped_event(session, gap.count), 0};
    if (!is_settled(journal.add_backlog(note))) return false;
    gaps_.erase(gaps_.begin());
  }
  return true;
}

bool Backlog::write_events(Journal& journal) {
  while (!unsaved_.empty()) {
    const Taken taken = journal.add_backlog(unsaved_.front());
    if (!is_settled(taken)) return false;
    if (taken != Taken::kYes) ++lost_;
    unsaved_bytes_ -= unsaved_.front().payload.size();
    unsaved_.pop_front();
  }
  return true;
}

// Whether there is nothing left to try.
bool Backlog::is_settled(Taken taken) {
  switch (taken) {
    case Taken::kYes:
      return true;
    case Taken::kFull:
      blocked_ = true;
      return false;
    case Taken::kNotKept:
      blocked_ = true;
      report(recording_.problem().message());
      return false;
    case Taken::kWrongUse:
      report("the journal does not accept one of them");
      return true;
  }
  return true;
}

void Backlog::report(const std::string& why) {
  if (!std::exchange(reported_, true)) {
    on_problem_("events that the agent has not seen yet do not outlive this process: " + why);
  }
}

void Backlog::forget_saved(const std::string& session, std::uint64_t through_seq) {
  std::erase_if(unsaved_, [&](const BacklogMessage& message) {
    const bool seen = message.session_id == session && message.seq <= through_seq;
    if (seen) unsaved_bytes_ -= message.payload.size();
    return seen;
  });
  const auto gap = gaps_.find(session);
  if (gap != gaps_.end() && gap->second.last_seq <= through_seq) gaps_.erase(gap);
  // Before the journal is open, it has nothing to forget.
  if (recording_.journal() == nullptr) return;
  // A message of an earlier process, which has no number here, must not shorten one that waits.
  std::uint64_t& waiting = drains_[session];
  waiting = std::max(waiting, through_seq);
  write();
}

}  // namespace gibbous::host
