// Backlog: what happened in a session and its agent has not seen. Detached in memory and, where
// there is a journal, on disk, so that what nobody has seen outlives the process. Each message is
// delivered once: drained by the host, or taken along by a result. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
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

class Backlog {
 public:
  Backlog(Recording& recording, Worker& worker) : recording_(recording), worker_(worker) {}

  // `for_agent`: worth a result's while; the others are only drained.
  void add(const Event& event, const std::string& run, bool for_agent);
  // Everything, oldest first. What was dropped is told of in front.
  std::vector<std::string> drain(std::string_view session);
  // What is for the agent, and no more than kMaxResultEvents, the newest; everything is drained
  // when there is any of it.
  std::vector<std::string> drain_for_agent(std::string_view session);
  // Brings what earlier processes left for the session, the first time it is asked for; `done`
  // comes then, from the loop, or at once.
  void recall(const std::string& session, std::function<void()> done);
  // Whoever waits for that goes on without it.
  void give_up();

  // What was drained is still noted as undelivered, so that a process that is killed before the
  // host has passed it on leaves it to the next one. The host has it when it comes back to us.
  bool has_given() const { return !given_.empty(); }
  void note_given();

 private:
  struct Message {
    std::uint64_t seq = 0;
    std::string json;
    bool for_agent = false;
  };
  struct Session {
    std::deque<Message> messages;
    std::size_t dropped = 0;
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
