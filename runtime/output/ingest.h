// The implementation of reader.h: IngestImpl divides the loop's time among ReaderImpls, each of
// which moves bytes from one descriptor straight into one stream's ring. Loop thread only. Only
// reader.cc and ingest.cc include it.
//
// In one turn all bulky streams together take about a MiB, each at least 64 KiB. A quota stops
// polling, not reading: the pipe fills, and the child waits. No handle keeps the loop alive, only a
// waiter for output does.
#pragma once

#include <uv.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/output/pace.h"
#include "runtime/output/reader.h"
#include "runtime/output/tick.h"

namespace gibbous {

class IngestImpl;

class ReaderImpl final : public Reader {
 public:
  ReaderImpl(IngestImpl& ingest, UniqueFd fd, Stream& stream, ReaderListener& listener);
  void hold(bool held) override;
  void close() override;

 private:
  friend class IngestImpl;
  enum class State : std::uint8_t {
    kIdle,     // being made
    kPolling,  // the loop announces new bytes
    kTicking,  // served by the tick
    kHeld,     // stopped by the quota
    kPaused,   // by hold()
    kEnded,    // at its end
    kClosed,   // waiting for its close callback
  };

  void start(uv_loop_t* loop);
  void wait_for_more();
  void stop_polling();
  void on_wakeup(int status);
  void on_tick();
  void take(bool ticked, int poll_error);
  ssize_t read_some(std::size_t wanted, std::size_t* asked);
  std::size_t pipe_bytes();
  bool is_full(std::size_t bytes);
  bool enlarge_pipe();
  void note_size(std::size_t bytes);
  void end(int error);

  IngestImpl& ingest_;
  UniqueFd fd_;
  Stream& stream_;
  ReaderListener& listener_;
  Pace pace_;
  State state_ = State::kIdle;
  bool pollable_ = false;  // else the tick always serves it (a file, for instance)
  bool hold_ = false;
  bool is_bulky_ = false;  // its last read was a large one
  bool pipe_is_fixed_ = false;
  int pipe_bytes_ = 0;               // capacity of the pipe; 0: not looked up yet
  std::chrono::nanoseconds due_{0};  // of its next tick
  std::size_t index_ = 0;            // in IngestImpl::readers_
  union {
    uv_handle_t any;
    uv_poll_t poll;
    uv_timer_t timer;  // never started: its close callback frees a reader that cannot be polled
  } handle_;
};

class IngestImpl final : public Ingest, private Tick::Owner {
 public:
  explicit IngestImpl(uv_loop_t* loop);
  ~IngestImpl() override;
  Reader* read(UniqueFd fd, Stream& stream, ReaderListener& listener) override;
  void set_quota(std::size_t bytes, std::chrono::nanoseconds until) override;
  std::size_t taken() const override { return taken_; }
  bool has_more() const override { return !starved_.empty() || !served_.empty(); }
  void close(std::function<void()> on_closed) override;

 private:
  friend class ReaderImpl;

  static std::chrono::nanoseconds clock_now();
  std::uint64_t now_ms() const { return uv_now(loop_); }
  // Returns how much a reader may take now: 0 when the quota is used up.
  std::size_t allowance() const;
  void add_ticking(ReaderImpl& reader);
  void arm(std::chrono::nanoseconds due, std::chrono::nanoseconds now);
  void on_tick() override;
  void on_tick_closed() override;
  void forget(ReaderImpl& reader);
  void remove(ReaderImpl& reader);
  void finish_if_closed();

  uv_loop_t* loop_;
  Tick tick_;  // armed only while a reader ticks
  std::chrono::nanoseconds armed_for_ = std::chrono::nanoseconds::max();
  bool in_tick_ = false;
  std::vector<ReaderImpl*> readers_;  // all that are not closed yet
  std::vector<ReaderImpl*> ticking_;
  std::vector<ReaderImpl*> ticked_;   // those being served by the current tick
  std::vector<ReaderImpl*> starved_;  // held, without any bytes since set_quota
  std::vector<ReaderImpl*> served_;   // held after their share
  std::size_t bulky_ = 0;             // readers whose last read was a large one
  std::size_t quota_ = 0;
  std::chrono::nanoseconds until_ = std::chrono::nanoseconds::max();  // when the turn is over
  std::size_t taken_ = 0;
  std::size_t contenders_ = 1;  // readers that share the quota
  bool closing_ = false;
  bool tick_is_closed_ = false;
  bool is_closed_ = false;  // with all its readers
  std::function<void()> on_closed_;
};

}  // namespace gibbous
