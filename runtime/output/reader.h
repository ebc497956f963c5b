// Reader: reads one descriptor into one Stream. Reads adapt their size to what comes, small writes
// are coalesced, streams are served in turn, and one loop turn never reads more than its share. The
// readers of one runtime share an Ingest. Loop thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "runtime/base/unique_fd.h"
#include "runtime/output/stream.h"

struct uv_loop_s;

namespace gibbous {

class Ingest;

class ReaderListener {
 public:
  virtual ~ReaderListener() = default;
  // The stream has new bytes: [from, stream.end()).
  virtual void on_bytes(Stream& stream, Offset from) = 0;
  // EOF or a read error (errno, 0 for EOF). No more bytes come, and the stream has ended. The
  // reader closes itself afterwards: drop the pointer here.
  virtual void on_end(Stream& stream, int error) = 0;
};

class Reader {
 public:
  virtual ~Reader() = default;
  // While held, it reads nothing, so the pipe fills and the writer waits. For a consumer of the
  // stream that cannot keep up.
  virtual void hold(bool held) = 0;
  // Stops and closes the descriptor; the object frees itself once libuv releases it. No callback
  // comes after this.
  virtual void close() = 0;
};

inline constexpr std::chrono::nanoseconds kNoTurnEnd = std::chrono::nanoseconds::max();

// The input of one runtime. close() frees it.
class Ingest {
 public:
  static std::unique_ptr<Ingest> create(uv_loop_s* loop);
  virtual ~Ingest() = default;
  // `fd` is non-blocking. `stream` and `listener` must live until on_end or Reader::close.
  virtual Reader* read(UniqueFd fd, Stream& stream, ReaderListener& listener) = 0;
  // Sets how many bytes all readers together may take until the next call (0: as they like), and
  // the time (of CLOCK_MONOTONIC) after which they take no more. For frame loops.
  virtual void set_quota(std::size_t bytes, std::chrono::nanoseconds until) = 0;
  virtual std::size_t taken() const = 0;  // bytes since set_quota
  virtual bool has_more() const = 0;      // the quota has stopped a reader
  // Closes all readers and handles; on_closed comes from the loop, then the object may be deleted.
  virtual void close(std::function<void()> on_closed) = 0;
};

}  // namespace gibbous
