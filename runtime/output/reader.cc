// ReaderImpl: reads one descriptor into one stream. It changes its state before it calls the
// listener and does nothing afterwards, because the listener may close this reader, others, or all.
#include "runtime/output/reader.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "runtime/output/ingest.h"

namespace gibbous {
namespace {

// The first reads of a stream are small, so that the ring of a quiet stream stays small; later
// reads are as large as all that came before, up to these limits.
constexpr std::size_t kFirstReadBytes = std::size_t{4} << 10;
constexpr std::size_t kMaxReadBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxTickReadBytes = std::size_t{1} << 20;
constexpr std::size_t kBulkyReadBytes = std::size_t{64} << 10;
// A pipe that ticks serve should hold the output of a few ticks. An unprivileged user can have at
// most 64 pipes of this size.
constexpr int kTickingPipeBytes = 1 << 20;

}  // namespace

ReaderImpl::ReaderImpl(IngestImpl& ingest, UniqueFd fd, Stream& stream, ReaderListener& listener)
    : ingest_(ingest), fd_(std::move(fd)), stream_(stream), listener_(listener), handle_{} {}

void ReaderImpl::start(uv_loop_t* loop) {
  pollable_ = uv_poll_init(loop, &handle_.poll, fd_.get()) == 0;
  if (!pollable_) static_cast<void>(uv_timer_init(loop, &handle_.timer));
  handle_.any.data = this;
  uv_unref(&handle_.any);  // a child that may write some day must not hold the loop open
  wait_for_more();
}

// Waits for the next bytes, with the loop or the tick.
void ReaderImpl::wait_for_more() {
  if (hold_) {
    stop_polling();
    state_ = State::kPaused;
    return;
  }
  if (!pollable_ || pace_.ticking()) {
    stop_polling();
    state_ = State::kTicking;
    ingest_.add_ticking(*this);
    return;
  }
  if (state_ == State::kPolling) return;
  const auto on_poll = [](uv_poll_t* handle, int status, int) noexcept {
    static_cast<ReaderImpl*>(handle->data)->on_wakeup(status);
  };
  state_ = State::kPolling;
  static_cast<void>(uv_poll_start(&handle_.poll, UV_READABLE, on_poll));
}

void ReaderImpl::stop_polling() {
  if (state_ == State::kPolling) static_cast<void>(uv_poll_stop(&handle_.poll));
}

void ReaderImpl::on_wakeup(int status) {
  // libuv has stopped a handle for which it reports an error; read(2) shows which error it is.
  if (status < 0) state_ = State::kIdle;
  take(/*ticked=*/false, status);
}

void ReaderImpl::on_tick() {
  take(/*ticked=*/true, 0);
}

void ReaderImpl::take(bool ticked, int poll_error) {
  const std::size_t allowed = ingest_.allowance();
  if (allowed == 0) {
    stop_polling();
    state_ = State::kHeld;
    ingest_.starved_.push_back(this);
    return;
  }
  const std::size_t most = ticked ? kMaxTickReadBytes : kMaxReadBytes;
  const std::size_t so_far =
      static_cast<std::size_t>(std::min<Offset>(stream_.end(), kMaxTickReadBytes));
  const std::size_t wanted = std::min({allowed, most, std::max(so_far, kFirstReadBytes)});
  std::size_t asked = 0;
  const ssize_t count = read_some(wanted, &asked);
  if (count == 0) return end(0);
  if (count < 0) {
    const int error = static_cast<int>(-count);
    if (error != EAGAIN && error != EWOULDBLOCK) return end(error == EIO ? 0 : error);
    if (poll_error < 0) return end(-poll_error);
    if (ticked) pace_.on_tick(0, pipe_bytes(), /*held_up=*/false, ingest_.now_ms());
    return wait_for_more();
  }

  const auto bytes = static_cast<std::size_t>(count);
  const Offset from = stream_.end();
  stream_.commit(bytes);
  ingest_.taken_ += bytes;
  note_size(bytes);
  if (ticked) {
    const bool held_up = bytes == asked || (is_full(bytes) && !enlarge_pipe());
    pace_.on_tick(bytes, pipe_bytes(), held_up, ingest_.now_ms());
  } else {
    pace_.on_wakeup(bytes, ingest_.now_ms());
  }
  if (ingest_.quota_ > 0 && bytes == allowed) {
    stop_polling();
    state_ = State::kHeld;
    ingest_.served_.push_back(this);
  } else {
    wait_for_more();
  }
  listener_.on_bytes(stream_, from);
}

// Returns the bytes read, 0 at the end, or the negative errno. *asked is the space there was.
ssize_t ReaderImpl::read_some(std::size_t wanted, std::size_t* asked) {
  try {
    const std::array<iovec, 2> areas = stream_.prepare(wanted);
    *asked = areas[0].iov_len + areas[1].iov_len;
    for (;;) {
      const ssize_t count = areas[1].iov_len == 0
                                ? ::read(fd_.get(), areas[0].iov_base, areas[0].iov_len)
                                : ::readv(fd_.get(), areas.data(), static_cast<int>(areas.size()));
      if (count >= 0) return count;
      if (errno != EINTR) return -errno;
    }
  } catch (const std::bad_alloc&) {
    return -ENOMEM;
  }
}

// Returns the capacity of the pipe; anything else counts as a pipe of the default size.
std::size_t ReaderImpl::pipe_bytes() {
  constexpr int kUsualPipeBytes = 64 << 10;
  if (pipe_bytes_ == 0) {
    pipe_bytes_ = ::fcntl(fd_.get(), F_GETPIPE_SZ);
    pipe_is_fixed_ = pipe_bytes_ <= 0;
    if (pipe_is_fixed_) pipe_bytes_ = kUsualPipeBytes;
  }
  return static_cast<std::size_t>(pipe_bytes_);
}

// Returns true if a read of this size means that the pipe was full. Its pages may be only partly
// filled.
bool ReaderImpl::is_full(std::size_t bytes) {
  constexpr std::size_t kParts = 8;
  return bytes >= pipe_bytes() / kParts * (kParts - 1);
}

// Returns false if it is large already, or the kernel refuses.
bool ReaderImpl::enlarge_pipe() {
  if (pipe_is_fixed_ || pipe_bytes_ >= kTickingPipeBytes) return false;
  const int now = ::fcntl(fd_.get(), F_SETPIPE_SZ, kTickingPipeBytes);
  pipe_is_fixed_ = now < kTickingPipeBytes;
  if (now > 0) pipe_bytes_ = now;
  return !pipe_is_fixed_;
}

void ReaderImpl::note_size(std::size_t bytes) {
  const bool bulky = bytes >= kBulkyReadBytes;
  if (bulky == is_bulky_) return;
  is_bulky_ = bulky;
  bulky ? ++ingest_.bulky_ : --ingest_.bulky_;
}

void ReaderImpl::hold(bool held) {
  if (hold_ == held || state_ == State::kEnded || state_ == State::kClosed) return;
  hold_ = held;
  if (held) {
    ingest_.forget(*this);
    wait_for_more();
  } else if (state_ == State::kPaused) {
    wait_for_more();
  }
}

void ReaderImpl::end(int error) {
  stop_polling();
  state_ = State::kEnded;
  if (stream_.held() > 0) {
    const Offset from = stream_.end();
    stream_.release();
    listener_.on_bytes(stream_, from);
    if (state_ == State::kClosed) return;
  }
  stream_.set_ended();
  listener_.on_end(stream_, error);
  close();
}

void ReaderImpl::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  note_size(0);
  ingest_.forget(*this);
  uv_close(&handle_.any, [](uv_handle_t* handle) noexcept {
    auto* reader = static_cast<ReaderImpl*>(handle->data);
    reader->ingest_.remove(*reader);
  });
  fd_.reset();
}

}  // namespace gibbous
