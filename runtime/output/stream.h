// Stream: the kept output of one stream of one run. It keeps a ring of the newest bytes and, for
// good, the first bytes, under absolute byte offsets that never shift. Reading never consumes. Loop
// thread only; no libuv here. Memory grows only as output comes.
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

// Requested bytes [from, to) that are no longer kept.
struct Gap {
  Offset from = 0;
  Offset to = 0;
};

struct Slice {
  std::string bytes;  // raw
  Offset from = 0;    // where `bytes` begins, after the gap if there is one
  Offset to = 0;      // where the next read begins
  std::optional<Gap> gap;
};

// Lines are separated by '\n'; bytes after the last '\n' are a partial line, and count as one.
struct Lines {
  std::string bytes;  // raw, with the '\n' of the last line if it has one
  Offset from = 0;
  Offset to = 0;
  std::uint64_t first_line = 0;  // number of the first line, from 0
  std::uint64_t count = 0;
  std::optional<Gap> gap;  // what is missing before `from`
};

class Stream {
 public:
  explicit Stream(std::size_t ring_bytes = kDefaultRingBytes,
                  std::size_t head_bytes = kDefaultHeadBytes);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  // Returns the space for the next bytes: up to two areas, together exactly min(want, ring size).
  // commit() makes the bytes written there output, and must be the next call to the stream. Grows
  // the ring.
  std::array<iovec, 2> prepare(std::size_t want);
  void commit(std::size_t bytes);
  void append(std::string_view bytes);  // prepare, copy, commit; without the mask
  void set_ended();                     // EOF: no more will come

  // From now on, commit() masks these values (SecretMask). Bytes at the end that may be the
  // beginning of one are held back: they become output with the next commit(), or by release().
  void mask(const std::vector<std::string>& secrets);
  std::size_t held() const;  // bytes held back
  void release();

  bool ended() const { return ended_; }
  Offset begin() const;              // oldest byte of the ring
  Offset end() const;                // one past the newest byte
  Offset head_end() const;           // bytes [0, head_end()) are kept as well
  std::uint64_t line_count() const;  // lines so far, a partial last line included
  std::size_t memory() const;        // bytes held

  // Returns up to max bytes from `from`; the gap is what is gone of them. Never cuts a UTF-8
  // sequence at the end unless the stream has ended, the rest is gone, or max is too small.
  Slice read(Offset from, std::size_t max) const;
  // Returns the kept bytes from `from`, without copying: head, then ring in up to two parts; *first
  // is the offset of the first part. A part at or after head_end() begins at begin() at the
  // earliest, because bytes between head and ring may be gone. Valid until the next prepare(). For
  // scanners.
  std::vector<std::string_view> views(Offset from, Offset* first) const;
  // Returns the last `lines` lines that are kept whole, at most max_bytes; `gap` says what is
  // missing. Of a last line that is not kept whole, or is longer than max_bytes, it returns the
  // end.
  Lines tail(std::uint64_t lines, std::size_t max_bytes) const;
  // Returns where line `number` begins, if it is kept.
  std::optional<Offset> line_offset(std::uint64_t number) const;
  // Returns the number of the line that holds `offset`, if it is kept; for end() that of the next
  // byte.
  std::optional<std::uint64_t> line_at(Offset offset) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  bool ended_ = false;
};

}  // namespace gibbous
