#include "bindings/host/backlog.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "bindings/json/text.h"

namespace gibbous::host {
namespace {

constexpr std::string_view kEnded = "run_ended";

// Events that say no more than bg_status does, but for the end.
bool tells_of_state(std::string_view event) {
  constexpr std::array<std::string_view, 4> kNames = {"run_started", "run_ready", "run_not_ready",
                                                      "run_requeued"};
  return std::find(kNames.begin(), kNames.end(), event) != kNames.end();
}

std::string dropped_event(std::string_view session, std::size_t count) {
  const OrderedJson event = {
      {"event", "events_dropped"}, {"session", std::string(session)}, {"count", count}};
  return to_text(event);
}

}  // namespace

void Backlog::add(const Event& event, const std::string& run, bool for_agent) {
  if (sessions_.size() >= kMaxBacklogSessions && sessions_.count(event.session) == 0) return;
  Session& session = sessions_[event.session];
  if (event.name == kEnded && session.told_ends.erase(run) > 0) for_agent = false;
  session.messages.push_back({++session.last_seq, event.json, for_agent, run, event.name});
  save(event.session, session.messages.back(), event, run);
  if (session.messages.size() <= kMaxBacklogEvents) return;
  forget_saved(event.session, session.messages.front().seq);
  session.messages.pop_front();
  ++session.dropped;
}

void Backlog::tell(std::string_view name, const ToldRun& run) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end()) return;
  Session& session = found->second;
  bool knows_end = false;
  for (Message& message : session.messages) {
    if (message.run != run.run) continue;
    const bool is_end = message.event == kEnded;
    knows_end = knows_end || is_end;
    if (is_end ? run.ended : tells_of_state(message.event)) message.for_agent = false;
  }
  if (!run.ended || knows_end) return;
  if (session.told_ends.size() >= kMaxToldEnds) session.told_ends.clear();
  session.told_ends.insert(run.run);
}

std::vector<std::string> Backlog::drain(std::string_view name) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end()) return {};
  Session& session = found->second;
  std::vector<std::string> events;
  if (session.dropped > 0) events.push_back(dropped_event(name, session.dropped));
  for (Message& message : session.messages) events.push_back(std::move(message.json));
  if (!session.messages.empty()) given_[found->first] = session.last_seq;
  session.messages.clear();
  session.dropped = 0;
  return events;
}

std::vector<std::string> Backlog::drain_for_agent(std::string_view name) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end()) return {};
  auto& messages = found->second.messages;
  std::erase_if(messages, [](const Message& message) { return !message.for_agent; });
  if (messages.empty()) return {};
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
  session.waiting.push_back(std::move(done));
  if (std::exchange(session.recalling, true)) return;
  const auto finish = [this, name](std::vector<BacklogMessage> taken) {
    Session& of = sessions_[name];
    of.recalled = true;
    for (auto message = taken.rbegin(); message != taken.rend(); ++message) {
      of.messages.push_front({0, std::move(message->payload), true, std::move(message->run_id),
                              std::move(message->event)});
    }
    for (const auto& then : std::exchange(of.waiting, {})) then();
  };
  recording_.when_open([this, name, finish](const Status& open) {
    if (!open) {
      finish({});
      return;
    }
    worker_.take_backlog(name, [finish](Result<std::vector<BacklogMessage>> taken) {
      finish(taken ? std::move(*taken) : std::vector<BacklogMessage>{});
    });
  });
}

void Backlog::give_up() {
  for (auto& [name, session] : sessions_) {
    for (const auto& then : std::exchange(session.waiting, {})) then();
  }
}

void Backlog::note_given() {
  for (const auto& [session, seq] : std::exchange(given_, {})) forget_saved(session, seq);
}

void Backlog::save(const std::string& session, const Message& message, const Event& event,
                   const std::string& run) {
  unsaved_.push_back({session, message.seq, run, event.name, message.json, 0});
  if (recording_.journal() != nullptr) {
    save_waiting();
    return;
  }
  if (unsaved_.size() > kMaxBacklogEvents) unsaved_.pop_front();
  if (std::exchange(opening_, true) || !recording_.problem().ok()) return;
  recording_.when_open([this](const Status&) {
    opening_ = false;
    save_waiting();
  });
}

void Backlog::save_waiting() {
  Journal* journal = recording_.journal();
  if (journal == nullptr) return;
  for (const BacklogMessage& message : unsaved_) (void)journal->add_backlog(message);
  unsaved_.clear();
}

void Backlog::forget_saved(const std::string& session, std::uint64_t through_seq) {
  std::erase_if(unsaved_, [&](const BacklogMessage& message) {
    return message.session_id == session && message.seq <= through_seq;
  });
  if (Journal* journal = recording_.journal()) (void)journal->drain_backlog(session, through_seq);
}

}  // namespace gibbous::host
