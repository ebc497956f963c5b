#include "runtime/keeper/relay.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace gibbous::keeper {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
// With more than this on the way to the host, the run waits for it, as without a relay.
constexpr std::size_t kMaxUnsent = std::size_t{64} << 10;
// What catch_up() takes at most: the largest pipe that an ordinary user can have.
constexpr std::size_t kMaxCatchUp = std::size_t{1} << 20;

bool is_momentary(int error) {
  return error == EAGAIN || error == EINTR;
}

}  // namespace

bool Relays::handle(int fd, std::uint32_t events) {
  const auto found = by_fd_.find(fd);
  if (found == by_fd_.end()) return false;
  found->second->on_event(fd, events);
  return true;
}

void Relays::watch(int fd, std::uint32_t* watched, std::uint32_t wanted, Relay* relay) {
  if (fd < 0 || *watched == wanted) return;
  epoll_event event{wanted, {.fd = fd}};
  const int change = *watched == 0 ? EPOLL_CTL_ADD : wanted == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
  ::epoll_ctl(epoll_, change, fd, &event);
  *watched = wanted;
  if (wanted != 0) {
    by_fd_[fd] = relay;
  } else {
    by_fd_.erase(fd);
  }
}

Relay::Relay(Relays& relays, UniqueFd source) : relays_(relays), source_(std::move(source)) {
  update();
}

Relay::~Relay() {
  relays_.watch(source_.get(), &source_watched_, 0, this);
  relays_.watch(sink_.get(), &sink_watched_, 0, this);
}

RelayPipe RelayPipe::make() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return {};
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

UniqueFd Relay::connect(RelayPipe pipe) {
  disconnect();
  sent_ = end();
  if (!source_ || !pipe.writer) return {};
  sink_ = std::move(pipe.writer);
  update();
  return std::move(pipe.reader);
}

void Relay::disconnect() {
  relays_.watch(sink_.get(), &sink_watched_, 0, this);
  sink_.reset();
  update();
}

void Relay::on_event(int fd, std::uint32_t events) {
  if (fd == sink_.get()) {
    if ((events & EPOLLERR) != 0) return disconnect();  // its reader is gone
    send();
  } else if (!read()) {
    relays_.watch(source_.get(), &source_watched_, 0, this);
    source_.reset();
  }
  update();
}

// One read per turn: other streams and messages are waiting too. Returns false at the end.
bool Relay::read() {
  std::array<char, kReadBytes> buffer;
  const ssize_t got = ::read(source_.get(), buffer.data(), buffer.size());
  if (got < 0) return is_momentary(errno);
  if (got == 0) return false;
  bytes_.append(buffer.data(), static_cast<std::size_t>(got));
  send();
  make_room();
  return true;
}

void Relay::send() {
  while (sink_ && unsent() > 0) {
    const char* const from = bytes_.data() + (sent_ - begin_);
    const ssize_t put = ::write(sink_.get(), from, unsent());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) return;
    if (put <= 0) return disconnect();
    sent_ += static_cast<std::uint64_t>(put);
  }
}

void Relay::catch_up() {
  const std::uint64_t most = end() + kMaxCatchUp;
  std::uint64_t before = 0;
  do {
    before = end();
    if (!source_ || !read()) break;
  } while (end() > before && end() < most);
  update();
}

void Relay::recorded(std::uint64_t to) {
  if (to <= recorded_ || to > end()) return;
  recorded_ = to;
  const std::uint64_t cut = std::min(recorded_, sent_);
  if (cut <= begin_) return;
  bytes_.erase(0, static_cast<std::size_t>(cut - begin_));
  begin_ = cut;
}

// Cutting at twice the size is cheaper than cutting at every read.
void Relay::make_room() {
  if (bytes_.size() <= 2 * kRelayBytes) return;
  std::uint64_t cut = end() - kRelayBytes;
  if (sink_) cut = std::min(cut, sent_);
  if (cut <= begin_) return;
  bytes_.erase(0, static_cast<std::size_t>(cut - begin_));
  begin_ = cut;
  if (!sink_) sent_ = std::max(sent_, begin_);
}

void Relay::update() {
  if (sink_ && !source_ && unsent() == 0) {
    relays_.watch(sink_.get(), &sink_watched_, 0, this);
    sink_.reset();  // the host sees the end
  }
  const bool reads = source_ && (!sink_ || unsent() < kMaxUnsent);
  relays_.watch(source_.get(), &source_watched_, reads ? EPOLLIN : 0U, this);
  // Without anything to send, it still tells when its reader is gone.
  const std::uint32_t sends = unsent() > 0 ? std::uint32_t{EPOLLOUT} : std::uint32_t{EPOLLERR};
  if (sink_) relays_.watch(sink_.get(), &sink_watched_, sends, this);
}

UniqueFd Relay::source() const {
  return UniqueFd(source_ ? ::fcntl(source_.get(), F_DUPFD_CLOEXEC, 0) : -1);
}

UniqueFd Relay::copy() const {
  const std::size_t size = std::min(bytes_.size(), kRelayBytes);
  if (size == 0) return {};
  const char* const from = bytes_.data() + (bytes_.size() - size);
  UniqueFd memory(::memfd_create("gibbous-kept", MFD_CLOEXEC));
  for (std::size_t written = 0; memory && written < size;) {
    const ssize_t put = ::write(memory.get(), from + written, size - written);
    if (put <= 0) return {};
    written += static_cast<std::size_t>(put);
  }
  return memory;
}

}  // namespace gibbous::keeper
