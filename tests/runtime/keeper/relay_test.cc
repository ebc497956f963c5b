// What a keeper keeps of the output of a detached run, and what its host gets.
#include "runtime/keeper/relay.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/catch.h"

namespace {

using gibbous::UniqueFd;
using gibbous::keeper::kRelayBytes;
using gibbous::keeper::Relay;
using gibbous::keeper::RelayPipe;
using gibbous::keeper::Relays;

// A run's end of a pipe, and its relay.
class Desk {
 public:
  Desk() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    relays_.use(epoll_.get());
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    run_.reset(ends[1]);
    relay_.emplace(relays_, UniqueFd(ends[0]));
  }
  Relay& relay() { return *relay_; }
  // Returns how much fits into its pipe.
  std::size_t write(const std::string& bytes) {
    const ssize_t put = ::write(run_.get(), bytes.data(), bytes.size());
    return put > 0 ? static_cast<std::size_t>(put) : 0;
  }
  void end() { run_.reset(); }
  // Handles events until there are none.
  void work() {
    std::array<epoll_event, 4> events{};
    for (;;) {
      const int count = ::epoll_wait(epoll_.get(), events.data(), 4, 0);
      if (count <= 0) return;
      for (int i = 0; i < count; ++i) {
        const epoll_event& event = events.at(static_cast<std::size_t>(i));
        relays_.handle(event.data.fd, event.events);
      }
    }
  }
  void work(const std::string& bytes) {
    REQUIRE(write(bytes) == bytes.size());
    work();
  }

 private:
  UniqueFd epoll_;
  Relays relays_;
  UniqueFd run_;
  std::optional<Relay> relay_;
};

// Returns what is there; *ended says whether nothing more comes.
std::string read_all(const UniqueFd& fd, bool* ended = nullptr) {
  std::string all;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (ended != nullptr) *ended = got == 0;
    if (got <= 0) return all;
    all.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::string copy_of(const Relay& relay) {
  const UniqueFd copy = relay.copy();
  if (!copy) return "";
  REQUIRE(::lseek(copy.get(), 0, SEEK_SET) == 0);
  return read_all(copy);
}

TEST_CASE("a host gets the output of a detached run, and its end") {
  Desk desk;
  const UniqueFd host = desk.relay().connect(RelayPipe::make());
  desk.work("one\n");
  CHECK(read_all(host) == "one\n");
  desk.work("two\n");
  desk.end();
  desk.work();
  bool ended = false;
  CHECK(read_all(host, &ended) == "two\n");
  CHECK(ended);
}

TEST_CASE("the next host gets again what the last one had not recorded") {
  Desk desk;
  {
    const UniqueFd host = desk.relay().connect(RelayPipe::make());
    desk.work("one\n");
    desk.work("two\n");
    CHECK(read_all(host) == "one\ntwo\n");
    desk.relay().recorded(4);
  }
  desk.work("three\n");
  CHECK(copy_of(desk.relay()) == "two\nthree\n");
  CHECK(desk.relay().begin() == 4);
  CHECK(desk.relay().recorded() == 4);
  const UniqueFd next = desk.relay().connect(RelayPipe::make());
  desk.work("four\n");
  CHECK(read_all(next) == "four\n");
  CHECK(desk.relay().recorded() == 4);
}

TEST_CASE("output that cannot be recorded yet is not taken for recorded") {
  Desk desk;
  const UniqueFd host = desk.relay().connect(RelayPipe::make());
  desk.work("one\n");
  desk.relay().recorded(100);
  CHECK(desk.relay().recorded() == 0);
  desk.relay().recorded(3);
  desk.relay().recorded(2);
  CHECK(desk.relay().recorded() == 3);
  CHECK(copy_of(desk.relay()) == "\n");
}

TEST_CASE("a run waits for a host that reads slowly, and loses nothing") {
  Desk desk;
  const UniqueFd host = desk.relay().connect(RelayPipe::make());
  const std::string block(std::size_t{32} << 10, 'x');
  std::size_t written = 0;
  for (int i = 0; i < 100; ++i) {
    written += desk.write(block);
    desk.work();
  }
  CHECK(written < 100 * block.size());
  std::size_t got = 0;
  for (std::string bytes = read_all(host); !bytes.empty(); bytes = read_all(host)) {
    got += bytes.size();
    desk.work();
  }
  CHECK(got == written);
}

TEST_CASE("without a host a run does not wait, and the newest output is kept") {
  Desk desk;
  const std::string block(std::size_t{32} << 10, 'x');
  for (int i = 0; i < 100; ++i) desk.work(block);
  desk.work("last");
  const std::string kept = copy_of(desk.relay());
  CHECK(kept.size() == kRelayBytes);
  CHECK(kept.substr(kept.size() - 5) == "xlast");
  CHECK(desk.relay().end() == 100 * block.size() + 4);
  CHECK(desk.relay().begin() <= desk.relay().end() - kept.size());
}

TEST_CASE("a host that closes its pipe is no reader any more") {
  Desk desk;
  desk.relay().connect(RelayPipe::make()).reset();
  const std::string block(std::size_t{32} << 10, 'x');
  for (int i = 0; i < 100; ++i) desk.work(block);
  CHECK(desk.relay().end() == 100 * block.size());
}

TEST_CASE("what a run wrote before its end is known when the end is told, however slow its host") {
  Desk desk;
  const UniqueFd host = desk.relay().connect(RelayPipe::make());
  const std::string block(std::size_t{60} << 10, 'x');
  std::size_t written = 0;
  for (int i = 0; i < 6; ++i) {
    written += desk.write(block);
    if (i < 5) desk.work();
  }
  desk.relay().catch_up();
  CHECK(desk.relay().end() == written);
  CHECK(desk.relay().sent() < written);
  std::size_t got = 0;
  for (std::string bytes = read_all(host); !bytes.empty(); bytes = read_all(host)) {
    got += bytes.size();
    desk.work();
  }
  CHECK(got == written);
}

}  // namespace
