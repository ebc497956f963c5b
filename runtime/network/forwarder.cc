#include "runtime/network/forwarder.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/network/agent.h"
#include "runtime/network/pair.h"
#include "runtime/process/launch.h"

namespace gibbous::network {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kSoon{100};
constexpr milliseconds kLater{500};
constexpr std::chrono::seconds kYoung{20};
constexpr std::size_t kMaxPairs = 256;
constexpr std::size_t kEvents = 64;
constexpr rlim_t kFiles = 4096;
constexpr std::uint16_t kFirstPort = 1024;
constexpr int kMostReadyMillis = 100;

bool listens_on_v6_alone(std::uint16_t port);

class Forwarder {
 public:
  // `machine`: finds what of the session listens on this machine. `asks`: see look().
  Forwarder(Agent agent, Agent machine, UniqueFd asks, const std::vector<std::uint16_t>& host_ports)
      : agent_(std::move(agent)),
        machine_(std::move(machine)),
        asks_(std::move(asks)),
        host_ports_(host_ports),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  void run() {
    open_host_ports();
    watch(asks_.get(), EPOLLIN);
    const auto begun = steady_clock::now();
    auto due = begun + kSoon;
    std::array<epoll_event, kEvents> events;
    while (agent_.ok()) {
      const auto now = steady_clock::now();
      if (now >= due) {
        follow();
        due = now + (now - begun < kYoung ? kSoon : kLater);
      }
      const auto wait = std::chrono::ceil<milliseconds>(due - steady_clock::now());
      const long millis = busy_.empty() ? std::max<long>(wait.count(), 0) : 0;
      const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(kEvents),
                                     static_cast<int>(millis));
      for (const auto& pair : std::exchange(busy_, {})) carry(pair);
      for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)].data.fd);
      ended_.clear();
    }
  }

 private:
  struct Listener {
    std::uint16_t port = 0;
    bool into = false;  // into the network, else out of it
    Inside inside;      // what it leads to, but for a host port
    UniqueFd socket;
  };

  void watch(int fd, std::uint32_t events) {
    epoll_event event{events, {.fd = fd}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
  }

  void add(Listener listener) {
    if (!listener.socket) return;
    const int fd = listener.socket.get();
    watch(fd, EPOLLIN);
    listeners_[fd] = std::move(listener);
  }

  // Where a program inside is to find them, before any can take their place.
  void open_host_ports() {
    for (const std::uint16_t port : host_ports_) {
      for (const bool v6 : {false, true}) {
        Listener listener{port, false, {}, agent_.listen(port, v6)};
        add(std::move(listener));
      }
    }
  }

  bool is_own(std::uint16_t port) const {
    return std::find(host_ports_.begin(), host_ports_.end(), port) != host_ports_.end();
  }

  void answer() {
    char byte = 0;
    if (::recv(asks_.get(), &byte, 1, 0) <= 0) ::_exit(0);  // the keeper is gone
    follow();
    (void)::send(asks_.get(), &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  using Ports = std::map<std::uint16_t, Inside>;

  // Opens on each side what listens on the other now, and closes what no longer does.
  void follow() {
    const Ports inside = found_by(agent_, true);
    mirror(inside, true);
    Ports here = found_by(machine_, false);
    // What a program inside listens on, it keeps.
    std::erase_if(here, [&](const auto& entry) { return inside.contains(entry.first); });
    mirror(here, false);
  }

  // But for what is there because it is open on the other side.
  Ports found_by(Agent& agent, bool into) const {
    Ports ports;
    for (const Inside& each : agent.listeners()) {
      if (!is_open(each.port, !into) && !is_own(each.port)) ports[each.port] = each;
    }
    return ports;
  }

  void mirror(const Ports& ports, bool into) {
    for (auto at = listeners_.begin(); at != listeners_.end();) {
      Listener& listener = at->second;
      const auto found = ports.find(listener.port);
      const bool follows = listener.into == into && !is_own(listener.port);
      const bool gone = follows && found == ports.end();
      if (follows && !gone) listener.inside = found->second;
      at = gone ? listeners_.erase(at) : std::next(at);
    }
    for (const auto& [port, what] : ports) {
      // The ports of this machine's own services stay theirs.
      if (is_open(port, into) || (into && port < kFirstPort)) continue;
      // Where another program has the one address, the other would lead astray.
      if (open(port, what, into, false)) (void)open(port, what, into, true);
    }
  }

  bool is_open(std::uint16_t port, bool into) const {
    return std::any_of(listeners_.begin(), listeners_.end(), [&](const auto& entry) {
      return entry.second.into == into && entry.second.port == port;
    });
  }

  // False: another program has it; perhaps later.
  bool open(std::uint16_t port, const Inside& inside, bool into, bool v6) {
    Listener listener{port, into, inside, into ? listen_here(port, v6) : agent_.listen(port, v6)};
    if (!listener.socket) return false;
    add(std::move(listener));
    return true;
  }

  void handle(int fd) {
    if (fd == asks_.get()) {
      answer();
    } else if (const auto listener = listeners_.find(fd); listener != listeners_.end()) {
      accept(listener->second);
    } else if (const auto pair = pairs_.find(fd); pair != pairs_.end()) {
      carry(pair->second);
    }
  }

  void carry(std::shared_ptr<Pair> pair) {
    switch (pair->carry()) {
      case Pair::State::kWaits:
        return;
      case Pair::State::kHasMore:
        busy_.push_back(std::move(pair));
        return;
      case Pair::State::kOver:
        std::erase(busy_, pair);
        pairs_.erase(pair->first());
        pairs_.erase(pair->second());
        ended_.push_back(std::move(pair));  // an event of this turn may name its other socket
    }
  }

  void accept(const Listener& listener) {
    UniqueFd from(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!from || pairs_.size() >= 2 * kMaxPairs) return;
    UniqueFd to = connect(listener);
    if (!to) return;
    auto pair = std::make_shared<Pair>(std::move(from), std::move(to));
    pairs_[pair->first()] = pairs_[pair->second()] = pair;
    constexpr std::uint32_t kAll = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    watch(pair->first(), kAll);
    watch(pair->second(), kAll);
  }

  // The machine's agent judges again: another program may have the port since.
  UniqueFd connect(const Listener& listener) {
    const std::uint16_t port = listener.port;
    if (!listener.into && is_own(port)) return connect_here(port, listens_on_v6_alone(port));
    return (listener.into ? agent_ : machine_).connect(port, !listener.inside.v4);
  }

  Agent agent_;
  Agent machine_;
  UniqueFd asks_;
  std::vector<std::uint16_t> host_ports_;
  UniqueFd epoll_;
  std::unordered_map<int, Listener> listeners_;
  std::unordered_map<int, std::shared_ptr<Pair>> pairs_;
  std::vector<std::shared_ptr<Pair>> busy_;  // with more to carry at once
  std::vector<std::shared_ptr<Pair>> ended_;
};

bool listens_on_v6_alone(std::uint16_t port) {
  for (const Inside& each : listeners_here()) {
    if (each.port == port) return !each.v4;
  }
  return false;
}

// Its descriptors.
enum Given : int { kAsks, kNetwork, kMachine };
constexpr std::string_view kOfUser = "user";  // the network belongs to a user namespace of its own

}  // namespace

ForwarderProcess start_forwarder(const Place& place, const std::vector<std::uint16_t>& host_ports,
                                 IsOwn is_own) {
  std::array<int, 2> ends{-1, -1};
  std::array<int, 2> agents{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  ForwarderProcess process{0, UniqueFd(ends[0])};
  const UniqueFd asks(ends[1]);
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, agents.data()) != 0) return {};
  const UniqueFd machine(agents[0]);
  UniqueFd served(agents[1]);
  std::vector<std::string> arguments{kForwardArgument};
  if (place.user) arguments.emplace_back(kOfUser);
  for (const std::uint16_t port : host_ports) arguments.push_back(std::to_string(port));
  process.pid = launch_own_program(arguments, {asks.get(), place.network.get(), machine.get()});
  if (process.pid != 0) Agent::start_thread(std::move(served), std::move(is_own));
  return process;
}

int forward(std::span<char* const> arguments) {
  ::prctl(PR_SET_NAME, "gibbous-forward", 0, 0, 0);
  std::vector<std::uint16_t> host_ports;
  Place place;
  place.network.reset(::fcntl(kNetwork, F_DUPFD_CLOEXEC, 0));
  for (const std::string_view word : arguments) {
    std::uint16_t port = 0;
    std::from_chars(word.data(), word.data() + word.size(), port);
    if (port != 0) host_ports.push_back(port);
    if (word == kOfUser) place.user.reset(::ioctl(kNetwork, NS_GET_USERNS));
  }
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur > kFiles) {
    files.rlim_cur = kFiles;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  if (auto agent = Agent::start(place)) {
    Forwarder(std::move(*agent), Agent(UniqueFd(kMachine)), UniqueFd(kAsks), host_ports).run();
  }
  return 1;
}

void look(const ForwarderProcess& process) {
  const int asks = process.asks.get();
  char byte = 0;
  while (::recv(asks, &byte, 1, MSG_DONTWAIT) > 0) {  // an earlier answer, which came too late
  }
  pollfd end{asks, POLLIN, 0};
  const bool asked = ::send(asks, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
  if (asked) (void)::poll(&end, 1, kMostReadyMillis);
}

}  // namespace gibbous::network
