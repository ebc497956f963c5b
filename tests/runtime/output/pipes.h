// Shared by the tests of readers: pipes, floods and listeners.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "runtime/output/reader.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

inline constexpr std::size_t kAll = std::size_t{1} << 30;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    in.reset(ends[0]);
    out.reset(ends[1]);
    REQUIRE(::fcntl(in.get(), F_SETFL, O_NONBLOCK) == 0);
  }
  UniqueFd in;
  UniqueFd out;
};

inline void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0) return;  // the reader is gone
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

// Writes the same bytes until it is stopped, or the reader is gone.
class Flood {
 public:
  Flood(UniqueFd fd, std::size_t write_bytes) : fd_(std::move(fd)) {
    ::signal(SIGPIPE, SIG_IGN);
    ::fcntl(fd_.get(), F_SETFL, O_NONBLOCK);
    thread_ = std::thread([this, chunk = std::string(write_bytes, 'f')] {
      constexpr int kLookAroundMs = 10;  // a full pipe must not keep it from stopping
      pollfd writable{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
      while (!stop_) {
        if (::write(fd_.get(), chunk.data(), chunk.size()) > 0) continue;
        if (errno != EAGAIN) return;
        static_cast<void>(::poll(&writable, 1, kLookAroundMs));
      }
    });
  }
  ~Flood() {
    stop_ = true;
    thread_.join();
  }

 private:
  UniqueFd fd_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

struct Listener final : ReaderListener {
  void on_bytes(Stream& stream, Offset from) override {
    ++reads;
    bytes += static_cast<std::size_t>(stream.end() - from);
    if (then) then();
  }
  void on_end(Stream& stream, int end_error) override {
    CHECK(stream.ended());
    CHECK_FALSE(ended);
    ended = true;
    error = end_error;
    if (then) then();
  }
  std::size_t reads = 0;
  std::size_t bytes = 0;
  bool ended = false;
  int error = 0;
  std::function<void()> then;
};

// An Ingest on a loop of its own, closed at the end.
class House {
 public:
  House() : ingest_(Ingest::create(loop_.get())) {
    // Readers do not keep a loop turning; a host has something of its own that does.
    constexpr std::uint64_t kNeverMs = 1'000'000'000;
    uv_timer_init(loop_.get(), &host_);
    uv_timer_start(
        &host_, [](uv_timer_t*) {}, kNeverMs, 0);
  }
  ~House() {
    close();
    uv_close(reinterpret_cast<uv_handle_t*>(&host_), nullptr);
  }
  void close() {
    if (!ingest_) return;
    bool closed = false;
    ingest_->close([&closed] { closed = true; });
    CHECK(loop_.until([&closed] { return closed; }));
    ingest_.reset();
  }
  Loop& loop() { return loop_; }
  Ingest& ingest() { return *ingest_; }
  // As a frame loop does it.
  void poll_once() { loop_.turn(); }

 private:
  uv_timer_t host_{};  // outlives the loop
  Loop loop_;
  std::unique_ptr<Ingest> ingest_;
};

}  // namespace gibbous::testing
