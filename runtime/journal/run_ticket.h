// RunTicket lets the caller of Journal::put_run() withdraw a run that is not on disk yet, so that
// it can report a failure and be sure that the run never starts. Any thread.
//
// The writer takes it when its transaction begins, the caller when it gives up, by one
// compare-and-swap. A commit that failed may still be in the file, so the writer deletes a
// withdrawn run; until then it is queued for its own living worker alone.
#pragma once

#include <atomic>
#include <cstdint>

namespace gibbous {

class RunTicket {
 public:
  // Returns true when the record is not on disk and never will be. Returns false while the writer
  // commits it, and afterwards: the callback of put_run() then says how that ended.
  bool withdraw() {
    State state = State::kWaiting;
    return state_.compare_exchange_strong(state, State::kWithdrawn) || state == State::kWithdrawn;
  }

  // For the writer thread. Returns false when the run was withdrawn.
  bool begin_writing() {
    State state = State::kWaiting;
    return state_.compare_exchange_strong(state, State::kWriting) || state == State::kWriting;
  }
  // The transaction failed; the run may be withdrawn until the next attempt.
  void writing_failed() {
    State state = State::kWriting;
    state_.compare_exchange_strong(state, State::kWaiting);
  }

 private:
  enum class State : std::uint8_t { kWaiting, kWriting, kWithdrawn };
  std::atomic<State> state_{State::kWaiting};
};

}  // namespace gibbous
