// See event_history.h.
#include "bindings/mcp/http/event_history.h"

#include <charconv>
#include <system_error>
#include <utility>

namespace gibbous::mcp::http {

std::string EventId::text() const {
  return std::to_string(stream) + "-" + std::to_string(number);
}

std::optional<EventId> EventId::parse(std::string_view text) {
  EventId id;
  const char* const end = text.data() + text.size();
  const auto stream = std::from_chars(text.data(), end, id.stream);
  if (stream.ec != std::errc() || stream.ptr == end || *stream.ptr != '-') return std::nullopt;
  const auto number = std::from_chars(stream.ptr + 1, end, id.number);
  if (number.ec != std::errc() || number.ptr != end) return std::nullopt;
  return id;
}

EventHistory::~EventHistory() {
  total_ -= bytes_;
}

EventId EventHistory::add(std::uint64_t stream, std::string message, Nanos now) {
  const EventId id{stream, ++last_};
  bytes_ += message.size();
  total_ += message.size();
  kept_.push_back({id, now, std::move(message)});
  // The newest one stays even if it is large: it may be the result of a long call.
  while (kept_.size() > 1 && bytes_ > limits_.history_bytes) forget_oldest();
  while (!kept_.empty() && total_ > limits_.all_history_bytes) forget_oldest();
  return id;
}

void EventHistory::each_after(const EventId& id, const Visit& visit) const {
  for (const Kept& kept : kept_) {
    if (kept.id.stream == id.stream && kept.id.number > id.number) visit(kept.id, kept.message);
  }
}

void EventHistory::forget_old(Nanos now) {
  while (!kept_.empty() && kept_.front().at + limits_.history_time <= now) forget_oldest();
}

void EventHistory::forget_oldest() {
  const std::size_t size = kept_.front().message.size();
  bytes_ -= size;
  total_ -= size;
  kept_.pop_front();
  if (kept_.empty()) kept_ = {};
}

}  // namespace gibbous::mcp::http
