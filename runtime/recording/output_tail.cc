#include "runtime/recording/output_tail.h"

#include <algorithm>
#include <utility>

namespace gibbous {
namespace {

// Two streams that take turns with single bytes must not make this large.
constexpr std::size_t kMaxPieces = 4096;
constexpr std::size_t kMaxContinuationBytes = 3;  // of a character

std::size_t index_of(StreamId stream) {
  return static_cast<std::size_t>(stream);
}

}  // namespace

void OutputTail::add(StreamId stream, Offset to) {
  Offset& end = ends_[index_of(stream)];
  if (to <= end) return;
  bytes_ += to - end;
  if (!pieces_.empty() && pieces_.back().stream == stream && pieces_.back().to == end) {
    pieces_.back().to = to;
  } else {
    pieces_.push_back({stream, end, to});
  }
  end = to;
  if (pieces_.size() > kMaxPieces) drop(pieces_.front().to - pieces_.front().from);
}

void OutputTail::pass(const Marks& recorded) {
  while (!pieces_.empty()) {
    const OutputPiece& first = pieces_.front();
    const Offset passed = recorded[index_of(first.stream)];
    if (passed <= first.from) return;
    drop(std::min(passed, first.to) - first.from);
  }
}

void OutputTail::trim(std::uint64_t most) {
  if (bytes_ > most) drop(bytes_ - most);
}

void OutputTail::drop(std::uint64_t bytes) {
  bytes_ -= bytes;
  while (bytes > 0) {
    OutputPiece& first = pieces_.front();
    const std::uint64_t here = std::min<std::uint64_t>(bytes, first.to - first.from);
    first.from += here;
    bytes -= here;
    if (first.from == first.to) pieces_.pop_front();
  }
}

LeftOut OutputTail::missing(const Marks& recorded) const {
  LeftOut left{recorded, ends_};
  std::array<bool, kStreams> seen{};
  for (const OutputPiece& piece : pieces_) {
    const std::size_t i = index_of(piece.stream);
    if (!std::exchange(seen[i], true)) left.to[i] = piece.from;
  }
  for (std::size_t i = 0; i < kStreams; ++i) left.to[i] = std::max(left.to[i], recorded[i]);
  return left;
}

void OutputTail::skip_torn(const Run& run, const Marks& recorded) {
  if (pieces_.empty()) return;
  const OutputPiece& first = pieces_.front();
  if (first.from == recorded[index_of(first.stream)]) return;
  const std::size_t most = std::min<Offset>(kMaxContinuationBytes, first.to - first.from);
  const Slice slice = run.stream(first.stream).read(first.from, most);
  std::size_t torn = 0;
  while (torn < slice.bytes.size() && (slice.bytes[torn] & '\xC0') == '\x80') ++torn;
  if (slice.from == first.from) drop(torn);
}

std::uint64_t LeftOut::bytes() const {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < kStreams; ++i) all += to[i] - from[i];
  return all;
}

std::string LeftOut::text(std::uint64_t limit) const {
  std::string parts;
  for (std::size_t i = 0; i < kStreams; ++i) {
    if (to[i] == from[i]) continue;
    if (!parts.empty()) parts += " and ";
    parts += bytes_text(to[i] - from[i]) + " of " + to_string(static_cast<StreamId>(i));
  }
  return parts + " are not recorded: the limit of " + bytes_text(limit) +
         " of recorded output was reached.";
}

std::string LeftOut::meta() const {
  std::string json = "{\"left_out\":" + std::to_string(bytes());
  for (std::size_t i = 0; i < kStreams; ++i) {
    if (to[i] == from[i]) continue;
    json += ",\"" + std::string(to_string(static_cast<StreamId>(i))) +
            "\":{\"from\":" + std::to_string(from[i]) + ",\"to\":" + std::to_string(to[i]) + "}";
  }
  return json + "}";
}

std::string bytes_text(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace gibbous
