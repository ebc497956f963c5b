// Backlog: the events of a session that its agent has not seen. It is kept in memory and, with a
// journal, on disk, so that unseen events outlive the process. Each message is delivered once: the
// host drains it, or a result carries it. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/runtime.h"
#include "runtime/queue/worker.h"
#include "runtime/recording/recording.h"

namespace gibbous::host {

inline constexpr std::size_t kMaxBacklogEvents = 256;  // a session
inline constexpr std::size_t kMaxBacklogSessions = 1000;
inline constexpr std::size_t kMaxResultEvents = 20;
inline constexpr std::size_t kMaxToldEnds = 256;

class Backlog {
 public:
  Backlog(Recording& recording, Worker& worker) : recording_(recording), worker_(worker) {}

  // `for_agent`: worth adding to a result; the others can only be drained.
  void add(const Event& event, const std::string& run, bool for_agent);
  // Returns everything, oldest first, after a note about dropped events.
  std::vector<std::string> drain(std::string_view session);
  // The agent knows how this run stands: its events about that are not for the agent any more. When
  // it had ended, neither is the event of its end that is still to come.
  void tell(std::string_view session, const ToldRun& run);
  // Returns the newest events for the agent, at most kMaxResultEvents, and drains everything if
  // there are any.
  std::vector<std::string> drain_for_agent(std::string_view session);
  // Fetches what earlier processes left for the session, the first time it is called; `done` then
  // comes from the loop, otherwise at once.
  void recall(const std::string& session, std::function<void()> done);
  // Callers that wait for that go on without it.
  void give_up();

  // Drained events still count as undelivered until the host returns to the loop, so that the next
  // process gets them if this one is killed before the host has passed them on.
  bool has_given() const { return !given_.empty(); }
  void note_given();

 private:
  struct Message {
    std::uint64_t seq = 0;
    std::string json;
    bool for_agent = false;
    std::string run;
    std::string event;
  };
  struct Session {
    std::deque<Message> messages;
    std::size_t dropped = 0;
    std::set<std::string, std::less<>> told_ends;  // of runs whose end is still to come
    std::uint64_t last_seq = 0;
    bool recalled = false;
    bool recalling = false;
    std::vector<std::function<void()>> waiting;
  };

  void save(const std::string& session, const Message& message, const Event& event,
            const std::string& run);
  void save_waiting();
  void forget_saved(const std::string& session, std::uint64_t through_seq);

  Recording& recording_;
  Worker& worker_;
  std::map<std::string, Session, std::less<>> sessions_;
  std::deque<BacklogMessage> unsaved_;  // until the journal is open
  bool opening_ = false;
  std::map<std::string, std::uint64_t, std::less<>> given_;  // up to which seq, by session
};

}  // namespace gibbous::host
