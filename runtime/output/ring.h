// Ring: the memory of a Stream. A circle that grows to its limit holds the newest bytes; a head
// takes the first bytes when the circle would lose them; and a mark for every kMarkBytes counts the
// newlines before it, so that finding a line needs only a local scan. Only Stream uses it, on the
// loop thread.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/output/stream.h"

namespace gibbous {

inline constexpr std::size_t kMarkBytes = 2048;
inline constexpr std::size_t kFirstRingBytes = 4096;

// Bytes in one piece.
struct Span {
  Offset from = 0;
  Offset to = 0;
};

class Ring {
 public:
  Ring(std::size_t ring_bytes, std::size_t head_bytes);

  std::array<iovec, 2> prepare(std::size_t want);
  void commit(std::size_t bytes);

  Offset end() const { return end_; }
  Offset begin() const { return end_ > ring_bytes_ ? end_ - ring_bytes_ : 0; }
  Offset head_end() const { return end_ < head_bytes_ ? end_ : head_bytes_; }
  // Returns true if nothing between the head and the ring is gone.
  bool whole() const { return begin() <= head_end(); }
  std::size_t memory() const;

  // Returns the bytes from `from`, which is at most end(), or from the first kept byte after it, up
  // to the next gap or the end.
  Span span_from(Offset from) const;
  // Returns [from, to), which must be kept, in one piece.
  char at(Offset offset) const;
  void copy(Offset from, Offset to, std::string& out) const;
  template <typename Visit>
  void each_part(Offset from, Offset to, Visit visit) const;

  // `offset` must be kept, or end().
  std::uint64_t newlines_until(Offset offset) const;
  // Returns how many lines begin before `offset`, which must be kept, or end().
  std::uint64_t lines_until(Offset offset) const;
  // Returns where line `number` begins, if that is known.
  std::optional<Offset> line_offset(std::uint64_t number) const;
  // Returns the first line that begins in [low, high), which must be kept.
  std::optional<Offset> line_start(Offset low, Offset high) const;

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  // One byte more than the ring promises: it shows whether the first promised byte begins a line.
  std::size_t full_size() const { return ring_bytes_ + 1; }
  Offset oldest() const { return end_ > full_size() ? end_ - full_size() : 0; }
  void grow(std::size_t needed);
  void save_head();
  std::size_t place(Offset offset) const;
  template <typename Visit>
  void each_ring_part(Offset from, Offset to, Visit visit) const;
  std::uint64_t count_in_ring(Offset from, Offset to) const;
  std::optional<Offset> newline_back(Offset low, Offset high, std::uint64_t nth) const;
  std::optional<Offset> newline_in_head(std::uint64_t nth) const;
  std::uint64_t mark(std::uint64_t number) const { return marks_[number % marks_.size()]; }

  std::size_t ring_bytes_;
  std::size_t head_bytes_;
  std::unique_ptr<char, Free> memory_;
  std::size_t size_ = 0;  // of memory_
  std::size_t next_ = 0;  // where in memory_ the byte at end_ goes
  Offset end_ = 0;
  std::uint64_t newlines_ = 0;
  std::string head_;  // [0, head_.size()), filled when the ring begins to lose bytes
  std::vector<std::uint64_t>
      marks_;  // newlines before k * kMarkBytes, for the k that the ring covers
};

template <typename Visit>
void Ring::each_ring_part(Offset from, Offset to, Visit visit) const {
  while (from < to) {
    const std::size_t start = place(from);
    const auto size =
        static_cast<std::size_t>(to - from < size_ - start ? to - from : size_ - start);
    visit(std::string_view(memory_.get() + start, size));
    from += size;
  }
}

template <typename Visit>
void Ring::each_part(Offset from, Offset to, Visit visit) const {
  if (from < to && from < begin()) {
    const Offset stop = to < begin() ? to : begin();
    visit(std::string_view(head_).substr(static_cast<std::size_t>(from),
                                         static_cast<std::size_t>(stop - from)));
    from = stop;
  }
  each_ring_part(from, to, visit);
}

}  // namespace gibbous
