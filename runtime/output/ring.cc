// Ring: memory, counting and searching.
#include "runtime/output/ring.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "runtime/output/newlines.h"

namespace gibbous {

Ring::Ring(std::size_t ring_bytes, std::size_t head_bytes)
    : ring_bytes_(std::max<std::size_t>(ring_bytes, 1)), head_bytes_(head_bytes) {}

std::array<iovec, 2> Ring::prepare(std::size_t want) {
  want = std::min(want, ring_bytes_);
  if (size_ < full_size() && size_ - next_ < want) grow(next_ + want);
  if (end_ + want > ring_bytes_ && head_.size() < head_bytes_) save_head();
  const std::size_t first = std::min(want, size_ - next_);
  return {iovec{memory_.get() + next_, first}, iovec{memory_.get(), want - first}};
}

void Ring::commit(std::size_t bytes) {
  while (bytes > 0) {
    if (next_ == size_) next_ = 0;
    const std::size_t to_mark = kMarkBytes - static_cast<std::size_t>(end_ % kMarkBytes);
    const std::size_t part = std::min({bytes, size_ - next_, to_mark});
    newlines_ += count_newlines(memory_.get() + next_, part);
    next_ += part;
    end_ += part;
    bytes -= part;
    if (part == to_mark) marks_[(end_ / kMarkBytes) % marks_.size()] = newlines_;
  }
  if (next_ == full_size()) next_ = 0;
}

std::size_t Ring::memory() const {
  return size_ + (head_.empty() ? 0 : head_.capacity()) + marks_.capacity() * sizeof marks_[0];
}

// Only before the first byte is lost: until then the bytes are in order from the beginning of the
// memory.
void Ring::grow(std::size_t needed) {
  std::size_t size = std::bit_ceil(std::max(needed, kFirstRingBytes));
  if (size >= ring_bytes_) size = full_size();
  void* memory = std::realloc(memory_.get(), size);
  if (memory == nullptr) throw std::bad_alloc();
  static_cast<void>(memory_.release());
  memory_.reset(static_cast<char*>(memory));
  size_ = size;
  marks_.reserve(size / kMarkBytes + 2);
  marks_.resize(size / kMarkBytes + 2);
}

// Copies the bytes that the head keeps before the ring overwrites them.
void Ring::save_head() {
  const Offset to = head_end();
  if (head_.empty()) head_.reserve(head_bytes_);
  each_ring_part(head_.size(), to, [this](std::string_view part) { head_.append(part); });
}

Span Ring::span_from(Offset from) const {
  if (whole() || from >= begin()) return {from, end_};
  if (from < head_end()) return {from, head_end()};
  return {begin(), end_};
}

std::size_t Ring::place(Offset offset) const {
  const auto back = static_cast<std::size_t>(end_ - offset);
  return back <= next_ ? next_ - back : next_ + size_ - back;
}

char Ring::at(Offset offset) const {
  if (offset < begin()) return head_[static_cast<std::size_t>(offset)];
  return memory_.get()[place(offset)];
}

void Ring::copy(Offset from, Offset to, std::string& out) const {
  out.reserve(out.size() + static_cast<std::size_t>(to - from));
  each_part(from, to, [&out](std::string_view part) { out.append(part); });
}

std::uint64_t Ring::count_in_ring(Offset from, Offset to) const {
  std::uint64_t count = 0;
  each_ring_part(from, to, [&count](std::string_view part) {
    count += count_newlines(part.data(), part.size());
  });
  return count;
}

std::uint64_t Ring::newlines_until(Offset offset) const {
  if (offset < begin()) return count_newlines(head_.data(), static_cast<std::size_t>(offset));
  if (offset == 0) return 0;
  // Counts down from the next mark, because earlier bytes may be gone.
  const std::uint64_t next_mark = (offset + kMarkBytes - 1) / kMarkBytes;
  const Offset marked = next_mark * kMarkBytes;
  if (marked > end_) return newlines_ - count_in_ring(offset, end_);
  return mark(next_mark) - count_in_ring(offset, marked);
}

std::uint64_t Ring::lines_until(Offset offset) const {
  if (offset == 0) return 0;
  const bool ends_line =
      offset > oldest() ? memory_.get()[place(offset - 1)] == '\n' : at(offset - 1) == '\n';
  return newlines_until(offset) + (ends_line ? 0 : 1);
}

// Returns the nth newline, from 1, counted back from `high`, unless it is before `low`. Both are in
// the memory.
std::optional<Offset> Ring::newline_back(Offset low, Offset high, std::uint64_t nth) const {
  while (high > low) {
    // The part that ends at `high`. For an end, a place of 0 means the end of the memory.
    const std::size_t stop = place(high) == 0 ? size_ : place(high);
    const auto size = static_cast<std::size_t>(std::min<Offset>(high - low, stop));
    const char* part = memory_.get() + stop - size;
    std::size_t left = size;
    while (left > 0) {
      const void* found = ::memrchr(part, '\n', left);
      if (found == nullptr) break;
      left = static_cast<std::size_t>(static_cast<const char*>(found) - part);
      if (--nth == 0) return high - size + left;
    }
    high -= size;
  }
  return std::nullopt;
}

std::optional<Offset> Ring::newline_in_head(std::uint64_t nth) const {
  const std::string_view head = head_;
  std::uint64_t before = 0;
  for (std::size_t start = 0; start < head.size(); start += kMarkBytes) {
    const std::string_view part = head.substr(start, kMarkBytes);
    const std::uint64_t here = count_newlines(part.data(), part.size());
    if (before + here < nth) {
      before += here;
      continue;
    }
    std::size_t found = part.find('\n');
    while (++before < nth) found = part.find('\n', found + 1);
    return start + found;
  }
  return std::nullopt;
}

std::optional<Offset> Ring::line_offset(std::uint64_t number) const {
  if (number == 0) return 0;
  if (number > newlines_) return std::nullopt;
  // The line begins after newline `number`. The first mark that has seen it is at most one block
  // above it.
  std::uint64_t low = (oldest() + kMarkBytes - 1) / kMarkBytes;
  const std::uint64_t last = end_ / kMarkBytes;
  std::uint64_t high = last + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (mark(middle) >= number) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const Offset above = low > last ? end_ : low * kMarkBytes;
  const std::uint64_t seen = low > last ? newlines_ : mark(low);
  const Offset below = above > oldest() + kMarkBytes ? above - kMarkBytes : oldest();
  if (const auto newline = newline_back(below, above, seen - number + 1)) return *newline + 1;
  if (const auto newline = newline_in_head(number)) return *newline + 1;
  return std::nullopt;
}

std::optional<Offset> Ring::line_start(Offset low, Offset high) const {
  if (low == 0) return low < high ? std::optional<Offset>(low) : std::nullopt;
  std::optional<Offset> found;
  Offset at = low - 1;
  const auto scan = [&](std::string_view part) {
    const std::size_t newline = found ? std::string_view::npos : part.find('\n');
    if (newline != std::string_view::npos) found = at + newline + 1;
    at += part.size();
  };
  if (low == begin() && low > head_.size()) {
    each_ring_part(low - 1, high, scan);  // the byte before the first is still there
  } else {
    each_part(low - 1, high, scan);
  }
  return found && *found < high ? found : std::nullopt;
}

}  // namespace gibbous
