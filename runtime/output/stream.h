// Stream: the kept output of one stream of one run. A ring of the newest bytes plus the first
// bytes, which are never given up, under absolute byte offsets that never shift. Reading never
// consumes. Loop thread only; no libuv here. Memory grows only as output comes.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

inline constexpr std::size_t kDefaultRingBytes = std::size_t{1} << 20;
inline constexpr std::size_t kDefaultHeadBytes = std::size_t{64} << 10;

using Offset = std::uint64_t;  // bytes since the stream began

// Bytes [from, to) that were asked for and are not kept any more.
struct Gap {
  Offset from = 0;
  Offset to = 0;
};

struct Slice {
  std::string bytes;  // raw
  Offset from = 0;    // where `bytes` begins, after the gap if there is one
  Offset to = 0;      // where the reader goes on
  std::optional<Gap> gap;
};

// Lines are separated by '\n'; bytes after the last '\n' are a partial line, and count as one.
struct Lines {
  std::string bytes;  // raw, the '\n' of the last line included when it is there
  Offset from = 0;
  Offset to = 0;
  std::uint64_t first_line = 0;  // number of the first line, from 0
  std::uint64_t count = 0;
  std::optional<Gap> gap;  // what is missing before `from` of what was asked for
};

class Stream {
 public:
  explicit Stream(std::size_t ring_bytes = kDefaultRingBytes,
                  std::size_t head_bytes = kDefaultHeadBytes);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  // The space for the next bytes: up to two areas, together exactly min(want, ring size).
  // Bytes written there become output by commit(), before anything else is asked of the stream.
  // Grows the ring.
  std::array<iovec, 2> prepare(std::size_t want);
  void commit(std::size_t bytes);
  void append(std::string_view bytes);  // prepare, copy, commit
  void set_ended() { ended_ = true; }   // EOF: no more will come

  bool ended() const { return ended_; }
  Offset begin() const;              // oldest byte of the ring
  Offset end() const;                // one past the newest byte
  Offset head_end() const;           // bytes [0, head_end()) are kept as well
  std::uint64_t line_count() const;  // lines so far, a partial last line included
  std::size_t memory() const;        // bytes held

  // Up to max bytes from `from`; what was asked for and is gone is the gap. Never cuts a UTF-8
  // sequence in two at the end unless the stream has ended, the rest is gone, or max is too small
  // to do otherwise.
  Slice read(Offset from, std::size_t max) const;
  // The kept bytes from `from`, without copying: head, then ring in up to two parts; *first is the
  // offset of the first part. A part that would begin at or after head_end() begins at begin() at
  // the earliest: between head and ring bytes may be gone. Valid until the next prepare(). For
  // scanners.
  std::vector<std::string_view> views(Offset from, Offset* first) const;
  // The last `lines` lines, whole, as far as they are kept, at most max_bytes (then `gap` says what
  // is missing). A last line that is not kept whole, or is longer than max_bytes, is given by its
  // end.
  Lines tail(std::uint64_t lines, std::size_t max_bytes) const;
  // Returns where line `number` begins, when it is kept.
  std::optional<Offset> line_offset(std::uint64_t number) const;
  // The number of the line that holds `offset`, when it is kept; for end() that of the next byte.
  std::optional<std::uint64_t> line_at(Offset offset) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  bool ended_ = false;
};

}  // namespace gibbous
