#include "runtime/output/arrival_order.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/output/utf8.h"

namespace gibbous {
namespace {

// A line that is longer does not wait for its end.
constexpr Offset kMaxWaitingBytes = Offset{64} << 10;

// Returns the offset after the last newline at or after `from`.
std::optional<Offset> after_last_newline(const Stream& stream, Offset from) {
  const std::vector<std::string_view> parts = stream.views(from, nullptr);
  Offset end = stream.end();
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const void* found = ::memrchr(part->data(), '\n', part->size());
    if (found != nullptr) {
      const auto index = static_cast<const char*>(found) - part->data();
      return end - part->size() + static_cast<Offset>(index) + 1;
    }
    end -= part->size();
  }
  return std::nullopt;
}

// Returns the end of a stream without the beginning of a character whose rest is still to come.
Offset before_incomplete_character(const Stream& stream) {
  const Offset end = stream.end();
  const Offset from = end - std::min<Offset>(end, kMaxUtf8Bytes - 1);
  return stream.read(from, kMaxUtf8Bytes).to;
}

// Where the bytes begin that the ring has, and everything after them.
Offset kept_from(const Stream& stream) {
  return stream.begin() > stream.head_end() ? stream.begin() : 0;
}

// Adds [from, to), which must be kept.
void copy(const Stream& stream, Offset from, Offset to, Stream* into) {
  Offset at = from;
  for (const std::string_view part : stream.views(from, nullptr)) {
    if (at >= to) break;
    const std::string_view piece = part.substr(0, static_cast<std::size_t>(to - at));
    into->append(piece);
    at += piece.size();
  }
}

}  // namespace

void ArrivalOrder::note(std::size_t index, const Stream& stream, Offset from) {
  if (const auto complete = after_last_newline(stream, std::max(from, placed_[index]))) {
    place(index, *complete, true);
  }
  if (stream.end() - placed_[index] > kMaxWaitingBytes) {
    place(index, before_incomplete_character(stream), false);
  }
  waits_[index] = stream.end() > placed_[index];
  if (waits_[index] && !waits_[1 - index]) first_waiting_ = index;
}

void ArrivalOrder::place_rest(const Streams& streams) {
  for (const std::size_t index : {first_waiting_, 1 - first_waiting_}) {
    if (!waits_[index]) continue;
    const Stream& stream = *streams[index];
    place(index, before_incomplete_character(stream), false);
    waits_[index] = stream.end() > placed_[index];
  }
}

void ArrivalOrder::place(std::size_t index, Offset to, bool ends_line) {
  if (to <= placed_[index]) return;
  if (arrivals_.empty() || arrivals_.back().stream != index) {
    if (arrivals_.size() >= kMaxArrivals) arrivals_.pop_front();
    if (in_line_) ++end_;
    arrivals_.push_back({end_, placed_[index], placed_[index], static_cast<std::uint8_t>(index)});
  }
  end_ += to - placed_[index];
  placed_[index] = arrivals_.back().to = to;
  in_line_ = !ends_line;
}

Offset ArrivalOrder::begin(const Streams& streams) const {
  if (arrivals_.empty()) return end();
  Offset begin = arrivals_.front().at;
  for (const Arrival& arrival : arrivals_) {
    const Offset kept = kept_from(*streams[arrival.stream]);
    if (arrival.from >= kept) continue;
    begin = std::min(arrival.end(), arrival.at + (kept - arrival.from));
  }
  return begin;
}

ArrivalOrder::Text ArrivalOrder::read(const Streams& streams, Offset from, std::size_t max) const {
  const Offset oldest = begin(streams);
  const Offset first = std::clamp(from, oldest, end());
  const Offset last = first + std::min<Offset>(max, end() - first);
  // The ring of a stream tells by one byte more whether its first byte begins a line.
  Text text{Stream(static_cast<std::size_t>(last - first) + 1, 0), first};
  Offset at = first;
  for (const Arrival& arrival : arrivals_) {
    if (arrival.end() <= first) continue;
    if (arrival.at > at && at < last) {
      text.bytes.append("\n");
      ++at;
    }
    const Offset low = std::max(first, arrival.at);
    const Offset high = std::min(last, arrival.end());
    if (low >= high) break;
    const Offset in_stream = arrival.from + (low - arrival.at);
    copy(*streams[arrival.stream], in_stream, in_stream + (high - low), &text.bytes);
    at = high;
  }
  const bool is_end = last == end() && !arrivals_.empty();
  if (is_end && streams[arrivals_.back().stream]->ended()) text.bytes.set_ended();
  return text;
}

ArrivalOrder::Offsets ArrivalOrder::before(Offset at) const {
  Offsets offsets = placed_;
  for (auto arrival = arrivals_.rbegin(); arrival != arrivals_.rend(); ++arrival) {
    if (arrival->at < at) {
      const Offset in_stream = std::min(arrival->to, arrival->from + (at - arrival->at));
      offsets[arrival->stream] = std::min(offsets[arrival->stream], in_stream);
      break;
    }
    offsets[arrival->stream] = arrival->from;
  }
  return offsets;
}

Offset ArrivalOrder::first_after(const Offsets& read) const {
  for (const Arrival& arrival : arrivals_) {
    if (read[arrival.stream] >= arrival.to) continue;
    // Before the first arrival that is known, an offset is about the sum of those of the streams.
    if (read[arrival.stream] < arrival.from) return std::min(arrival.at, read[0] + read[1]);
    return arrival.at + (read[arrival.stream] - arrival.from);
  }
  return end();
}

}  // namespace gibbous
