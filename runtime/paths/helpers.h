// Helpers: asks questions about paths of processes that may be given up, so that the caller never
// waits. A file system that does not answer holds one helper; as long as it does, further
// questions about it are refused at once, and those about others go to other helpers. The caller
// brings the loop: it watches descriptors and calls on_time() when it is due. One thread; not to be
// destroyed in a callback.
//
// Processes, not threads: with a thread that hangs, the host could not end. A late answer of the
// hung helper opens its mount again. "Unanswered" is not "missing": the caller learns within a
// second that the file system did not answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/paths/question.h"

namespace gibbous::paths {

// How long an answer may take. A disk that spins up, or a server under load, is slower than that
// at times; what depends on the answer then asks a person.
inline constexpr std::chrono::milliseconds kPatience{1000};
// A caller that comes so much later than that has stood still, and the helpers may have, too (a
// stopped machine). It waits anew, up to kMostWaitedAnew times for one question.
inline constexpr std::chrono::milliseconds kStoodStill{250};
inline constexpr int kMostWaitedAnew = 4;
// After this, a helper counts as held up, and other questions go to another one.
inline constexpr std::chrono::milliseconds kHeldUp{50};
inline constexpr std::size_t kMaxHelpers = 8;

class Helpers {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Ticket = std::uint64_t;
  using Answered = std::function<void(Answer)>;
  struct Loop {
    std::function<UniqueFd()> start_helper;  // returns the socket to it, or none
    std::function<void(int)> watch;          // call on_readable() when it can be read
    std::function<void(int)> unwatch;        // the descriptor is closed next
  };

  explicit Helpers(Loop loop);
  ~Helpers();  // calls no asker back
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  // `mount`: what walk() names as doubtful. Calls back later, never from here.
  Ticket ask(Question question, std::uint64_t mount, Time now, Answered answered);
  // Its callback is not called.
  void drop(Ticket ticket);

  void on_readable(int descriptor, Time now);
  void on_time(Time now);
  Time due() const;  // of on_time(); Time::max(): not needed

 private:
  struct Asked {
    Ticket ticket = 0;
    Question question;
    std::uint64_t mount = 0;
    Time until{};
    Answered answered;
    bool retried = false;
    int waited_anew = 0;
    // Whether its askers are to wait no longer.
    bool is_overdue(Time now);
  };
  struct Helper {
    UniqueFd socket;
    std::uint64_t mount = 0;       // of what it was asked
    Time since{};                  // when it was asked
    std::unique_ptr<Asked> asked;  // null: idle, or given up on
    bool given_up = false;         // its answer is not waited for any more
    bool is_idle() const { return asked == nullptr && !given_up; }
  };

  bool is_held(std::uint64_t mount) const;
  bool is_asked_slowly(std::uint64_t mount, Time now) const;
  Helper* find_idle(Time now);
  bool send(Helper& helper, std::unique_ptr<Asked> asked, Time now);
  void give(Time now);
  void finish(std::unique_ptr<Asked> asked, Answer answer);
  void remove(const Helper& helper);
  void read(int descriptor);
  void call_back();

  Loop loop_;
  std::vector<std::unique_ptr<Helper>> helpers_;
  std::deque<std::unique_ptr<Asked>> waiting_;
  std::deque<std::pair<std::unique_ptr<Asked>, Answer>> finished_;  // to be called back
  Ticket last_ticket_ = 0;
  Time looked_{};  // when questions were last given out
};

}  // namespace gibbous::paths
