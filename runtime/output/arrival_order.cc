#include "runtime/output/arrival_order.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/output/text.h"
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
void copy(const Stream& stream, Offset from, Offset to, std::string* into) {
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
    place(index, stream, *complete, true);
  }
  if (stream.end() - placed_[index] > kMaxWaitingBytes) {
    place(index, stream, before_incomplete_character(stream), false);
  }
  waits_[index] = stream.end() > placed_[index];
  if (waits_[index] && !waits_[1 - index]) first_waiting_ = index;
}

void ArrivalOrder::place_rest(const Streams& streams) {
  for (const std::size_t index : {first_waiting_, 1 - first_waiting_}) {
    if (!waits_[index]) continue;
    const Stream& stream = *streams[index];
    place(index, stream, before_incomplete_character(stream), false);
    waits_[index] = stream.end() > placed_[index];
  }
}

void ArrivalOrder::place(std::size_t index, const Stream& stream, Offset to, bool ends_line) {
  if (to <= placed_[index]) return;
  if (arrivals_.empty() || arrivals_.back().stream != index) {
    if (arrivals_.size() >= kMaxArrivals) arrivals_.pop_front();
    if (in_line_) {
      ++end_;
      ++lines_;
    }
    arrivals_.push_back({end_, placed_[index], placed_[index], static_cast<std::uint8_t>(index),
                         lines_, stream_lines_[index]});
  }
  end_ += to - placed_[index];
  const std::uint64_t stream_lines = stream.line_at(to).value_or(stream_lines_[index]);
  lines_ += stream_lines - stream_lines_[index];
  stream_lines_[index] = stream_lines;
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

// Collects parts, in order, until they have the size that was asked for.
class ArrivalOrder::Reading {
 public:
  Reading(const Streams& streams, Offset from, std::size_t max)
      : streams_(streams), at_(from), left_(max) {}

  // Takes an arrival that ends after the place where the reading is. False: it is full.
  bool take(const Arrival& arrival) {
    const Stream& stream = *streams_[arrival.stream];
    const Offset from = arrival.from + (std::max(at_, arrival.at) - arrival.at);
    const Offset lost_to = std::clamp(kept_from(stream), from, arrival.to);
    const Offset lost_from = lost_to == from ? from : std::clamp(stream.head_end(), from, lost_to);
    if (from < lost_from && !add(arrival, from, lost_from)) return false;
    lost_[arrival.stream] += lost_to - lost_from;
    if (lost_from < lost_to) at_ = arrival.at + (lost_to - arrival.from);
    return lost_to == arrival.to || add(arrival, lost_to, arrival.to);
  }

  std::vector<Part> parts() { return std::move(parts_); }

 private:
  // Adds [from, to) of the arrival's stream, which must be kept, as far as it fits.
  bool add(const Arrival& arrival, Offset from, Offset to) {
    const Stream& stream = *streams_[arrival.stream];
    const Offset begin = arrival.at + (from - arrival.from);
    if (!goes_on() && !begin_part(arrival, stream, from)) return false;
    Part& part = parts_.back();
    if (part.to < begin && left_ > 0) {
      part.bytes += '\n';
      ++part.to;
      --left_;
    }
    const Offset last = from + std::min<Offset>(left_, to - from);
    const std::size_t before = part.bytes.size();
    copy(stream, from, last, &part.bytes);
    if (last < to) cut_to_character(before, &part);
    left_ -= static_cast<std::size_t>(last - from);
    part.to = part.from + part.bytes.size();
    at_ = part.to;
    return last == to;
  }

  bool goes_on() const {
    const bool has_hole = lost_[0] + lost_[1] > 0;
    return !parts_.empty() && !has_hole;
  }

  bool begin_part(const Arrival& arrival, const Stream& stream, Offset from) {
    const std::size_t needed = parts_.empty() ? 0 : kHoleBytes;
    if (left_ <= needed) return false;
    left_ -= needed;
    Part part;
    const bool has_newline = parts_.empty() && lost_[0] + lost_[1] == 0 && at_ < arrival.at;
    part.from = part.to = has_newline ? at_ : arrival.at + (from - arrival.from);
    const std::uint64_t lines = stream.line_at(from).value_or(arrival.stream_lines);
    part.line = arrival.lines + (lines - arrival.stream_lines) - (has_newline ? 1 : 0);
    part.lost = std::exchange(lost_, {});
    parts_.push_back(std::move(part));
    return true;
  }

  // Drops the beginning of a character whose rest did not fit, unless that is all that was read.
  static void cut_to_character(std::size_t before, Part* part) {
    const std::string_view added = std::string_view(part->bytes).substr(before);
    const std::size_t cut = incomplete_utf8_tail(added);
    if (cut < part->bytes.size()) part->bytes.resize(part->bytes.size() - cut);
  }

  const Streams& streams_;
  Offset at_;
  std::size_t left_;
  Offsets lost_{};  // since the last part
  std::vector<Part> parts_;
};

std::vector<ArrivalOrder::Part> ArrivalOrder::read(const Streams& streams, Offset from,
                                                   std::size_t max) const {
  if (arrivals_.empty()) return {};
  Reading reading(streams, std::max(from, arrivals_.front().at), max);
  for (const Arrival& arrival : arrivals_) {
    if (arrival.end() > from && !reading.take(arrival)) break;
  }
  return reading.parts();
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

std::vector<ArrivalOrder::Stretch> ArrivalOrder::stretches(const Offsets& after) const {
  const auto is_passed = [&after](const Arrival& arrival) {
    return arrival.to <= after[arrival.stream];
  };
  auto first = arrivals_.end();
  // Neighbours are of different streams: before two that were passed, all were.
  while (first != arrivals_.begin()) {
    const bool passed = first != arrivals_.end() && is_passed(*first);
    if (passed && is_passed(*std::prev(first))) break;
    --first;
  }
  std::vector<Stretch> found;
  for (; first != arrivals_.end(); ++first) {
    if (!is_passed(*first)) found.push_back({first->stream, first->to});
  }
  return found;
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
