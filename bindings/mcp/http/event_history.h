// EventHistory: the last messages of one legacy session's streams, so that a client that lost a
// connection can hear what it missed (Last-Event-ID). Bounded; the oldest are forgotten first. Loop
// thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bindings/mcp/http/limits.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp::http {

// The place of a message: streams and messages have numbers of their own in each session.
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;

  std::string text() const;  // "3-17"
  static std::optional<EventId> parse(std::string_view text);
};

class EventHistory {
 public:
  // `total` counts the bytes of all histories; it and `limits` must outlive this.
  EventHistory(const Limits& limits, std::size_t& total) : limits_(limits), total_(total) {}
  ~EventHistory();
  EventHistory(const EventHistory&) = delete;
  EventHistory& operator=(const EventHistory&) = delete;

  EventId add(std::uint64_t stream, std::string message, Nanos now);
  // The place behind everything that the stream has had so far.
  EventId end_of(std::uint64_t stream) const { return {stream, last_}; }
  // Whether a message with this number was ever given.
  bool knows(const EventId& id) const { return id.number <= last_; }
  using Visit = std::function<void(const EventId& id, const std::string& message)>;
  void each_after(const EventId& id, const Visit& visit) const;
  // Forgets what is older than a client takes to come back.
  void forget_old(Nanos now);
  bool empty() const { return kept_.empty(); }

 private:
  struct Kept {
    EventId id;
    Nanos at;
    std::string message;
  };
  void forget_oldest();

  const Limits& limits_;
  std::size_t& total_;
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
  std::deque<Kept> kept_;
};

}  // namespace gibbous::mcp::http
