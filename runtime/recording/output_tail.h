// OutputTail knows which output of a run came last, in the order in which it came: the streams hold
// the bytes. It serves a run whose output has exceeded its limit in the journal. Loop thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "runtime/runs/run.h"

namespace gibbous {

std::string bytes_text(std::uint64_t bytes);  // "1 byte", "20 bytes"

// Bytes of one stream that came together.
struct OutputPiece {
  StreamId stream = StreamId::kStdout;
  Offset from = 0;
  Offset to = 0;
};

// Bytes of each stream that are not recorded.
struct LeftOut {
  std::array<Offset, kStreams> from{};
  std::array<Offset, kStreams> to{};

  std::uint64_t bytes() const;
  // A sentence for people. `limit`: the bytes of output that are recorded.
  std::string text(std::uint64_t limit) const;
  // {"left_out":N,"stdout":{"from":A,"to":B}}, with the streams that lack bytes.
  std::string meta() const;
};

class OutputTail {
 public:
  using Marks = std::array<Offset, kStreams>;

  // The stream has bytes up to `to`; those since the last call came now.
  void add(StreamId stream, Offset to);
  // The bytes of each stream before these are recorded, or are known to be missing.
  void pass(const Marks& recorded);
  // Keeps the last `most` bytes alone, in a bounded number of pieces.
  void trim(std::uint64_t most);

  // The oldest piece first; those of one stream follow each other without a hole.
  const std::deque<OutputPiece>& pieces() const { return pieces_; }
  // Returns what is between these bytes and the pieces.
  LeftOut missing(const Marks& recorded) const;
  // Skips bytes at the front that end a character whose beginning is missing.
  void skip_torn(const Run& run, const Marks& recorded);

 private:
  void drop(std::uint64_t bytes);

  std::deque<OutputPiece> pieces_;
  std::uint64_t bytes_ = 0;  // of all pieces
  Marks ends_{};
};

}  // namespace gibbous
