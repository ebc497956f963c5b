// Relay: takes the output of one stream of a detached run to its host, and keeps what the host has
// not recorded, so that the next one receives it when this one is killed. Without a host it keeps
// the newest part, so that no detached run waits for a reader. Keeper only.
//
// A host that read the pipe itself would take along what it has not recorded: 12 of 220 runs lost
// lines in 600 kills of their hosts. The price is one more copy: a flood of 300 MB took 1.08 to
// 1.43 times as long as that of a run that ends with its host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "runtime/base/unique_fd.h"

namespace gibbous::keeper {

inline constexpr std::size_t kRelayBytes = std::size_t{1} << 20;  // that are kept of each stream

class Relay;

// The relays of a keeper, by the descriptors that its epoll set reports.
class Relays {
 public:
  // The epoll set; it must outlive all relays.
  void use(int epoll) { epoll_ = epoll; }
  // Does what an event of this descriptor asks for. Returns false when no relay has it.
  bool handle(int fd, std::uint32_t events);

 private:
  friend class Relay;
  void watch(int fd, std::uint32_t* watched, std::uint32_t wanted, Relay* relay);

  int epoll_ = -1;
  std::unordered_map<int, Relay*> by_fd_;
};

// A pipe from a relay to its host.
struct RelayPipe {
  UniqueFd reader;
  UniqueFd writer;
  // Without descriptors when none can be made; errno says why.
  static RelayPipe make();
};

// Offsets count the bytes of the stream since the run began.
class Relay {
 public:
  // `source` is the pipe's or the terminal's reading end, non-blocking; unset: there is none.
  Relay(Relays& relays, UniqueFd source);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // The pipe gets the bytes from end() on. Returns its reading end, for a host; unset when the
  // stream has ended, or there is no pipe.
  UniqueFd connect(RelayPipe pipe);
  // The host is gone.
  void disconnect();
  // Takes what the source holds by now.
  void catch_up();
  // The host has recorded everything before `to`; an offset that cannot be is ignored.
  void recorded(std::uint64_t to);

  // A second descriptor of the source; unset once the stream has ended.
  UniqueFd source() const;
  // A memfd with the newest bytes, up to end(), at most kRelayBytes; unset: there are none.
  UniqueFd copy() const;
  std::uint64_t begin() const { return begin_; }
  std::uint64_t sent() const { return sent_; }  // before this, bytes were given to a host
  std::uint64_t end() const { return begin_ + bytes_.size(); }
  std::uint64_t recorded() const { return recorded_; }

 private:
  friend class Relays;
  void on_event(int fd, std::uint32_t events);
  bool read();
  void send();
  void make_room();
  void update();
  std::size_t unsent() const { return static_cast<std::size_t>(end() - sent_); }

  Relays& relays_;
  UniqueFd source_;
  UniqueFd sink_;
  std::uint32_t source_watched_ = 0;
  std::uint32_t sink_watched_ = 0;
  std::string bytes_;
  std::uint64_t begin_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t recorded_ = 0;
};

}  // namespace gibbous::keeper
