// Backlog: the events of a session that its agent has not seen. It is kept in memory and, with a
// journal, on disk, so that unseen events outlive the process. Each message is delivered once: the
// host drains it, or a result carries it. What the journal does not take yet waits here, within
// bounds; what exceeds them is counted, and the session's next process learns how many there were.
// Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
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
inline constexpr std::size_t kMaxReportedEnds = 256;
inline constexpr std::size_t kMaxUnsavedBytes = std::size_t{1} << 20;  // that wait for the journal

class Backlog {
 public:
  // `on_problem` is called once for each outage. All three must outlive this.
  Backlog(Recording& recording, Worker& worker,
          std::function<void(const std::string& message)> on_problem);
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  // `for_agent`: worth adding to a result; the others can only be drained. `saved`: the event as
  // JSON for the journal, from which later processes deliver it.
  void add(const Event& event, const std::string& run, bool for_agent, const std::string& saved);
  // Returns everything, oldest first, after a note about dropped events.
  std::vector<std::string> drain(std::string_view session);
  // The agent knows how this run stands: its events about that are not for the agent any more. When
  // it had ended, neither is the event of its end that is still to come.
  void note_reported(std::string_view session, const ReportedRun& run);
  // Returns the newest events for the agent, at most kMaxResultEvents, and drains everything if
  // there are any.
  std::vector<std::string> drain_for_agent(std::string_view session);
  // Fetches what earlier processes left for the session, the first time that the journal lets it;
  // `done` then comes from the loop, otherwise at once.
  void recall(const std::string& session, std::function<void()> done);
  // Another process left more for a session that was recalled: the next recall() fetches it.
  void recall_again(const std::string& session);
  // Callers that wait for that go on without it.
  void give_up();

  // Drained events still count as undelivered until the host returns to the loop, so that the next
  // process gets them if this one is killed before the host has passed them on.
  bool has_given() const { return !given_.empty(); }
  void note_given();

  // What waits for the journal: events to save, and saved ones to forget.
  std::size_t waiting() const { return unsaved_.size() + gaps_.size() + drains_.size(); }
  // Events that the next process of their session will not get.
  std::uint64_t lost() const { return lost_; }

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
    std::set<std::string, std::less<>> reported_ends;  // of runs whose end is still to come
    std::uint64_t last_seq = 0;
    bool recalled = false;
    bool recalling = false;
    bool recall_again = false;
    bool inherits = true;       // what earlier processes queued is not told yet
    bool has_recalled = false;  // messages that the journal forgets with the next drain
    bool is_late = false;       // the journal keeps it waiting
    std::vector<std::function<void()>> waiting;
  };
  // Events that were not saved; one note in the journal stands for all of them.
  struct Gap {
    std::uint64_t last_seq = 0;
    std::size_t count = 0;
  };

  static void go_on_without(Session& session);
  static void add_recalled(Session& session, std::vector<BacklogMessage> taken);
  void add_inherited(const std::string& session, std::function<void()> then);
  void save(const std::string& session, const Message& message, const std::string& json);
  void open();
  void write();
  bool write_drains(Journal& journal);
  bool write_gaps(Journal& journal);
  bool write_events(Journal& journal);
  bool is_settled(Taken taken);
  void drop_oldest_unsaved();
  void report(const std::string& why);
  void forget_saved(const std::string& session, std::uint64_t through_seq);

  Recording& recording_;
  Worker& worker_;
  std::function<void(const std::string&)> on_problem_;
  std::map<std::string, Session, std::less<>> sessions_;
  // What the journal has not taken yet, in the order in which it is written: how far saved events
  // are to be forgotten, by session; gaps, by session; events.
  std::map<std::string, std::uint64_t, std::less<>> drains_;
  std::map<std::string, Gap, std::less<>> gaps_;
  std::deque<BacklogMessage> unsaved_;
  std::size_t unsaved_bytes_ = 0;
  std::uint64_t lost_ = 0;
  bool opening_ = false;
  bool blocked_ = false;                                     // until the journal has room again
  bool reported_ = false;                                    // of the current outage
  std::map<std::string, std::uint64_t, std::less<>> given_;  // up to which seq, by session
  // Expires with this object: the recording may answer later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::host
