// Signals as a readable descriptor, and the restored state afterwards.
#include "bindings/stdio/program_signals.h"

#include <poll.h>
#include <signal.h>

#include <array>
#include <cstddef>

#include "tests/support/catch.h"

using gibbous::stdio::ProgramSignals;

namespace {

bool readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return poll(&entry, 1, 0) == 1;
}

bool is_blocked(int number) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, number) == 1;
}

}  // namespace

TEST_CASE("each of the three signals makes the descriptor readable, once") {
  // The program that started the tests, such as nohup, may have had one ignored.
  constexpr std::array kStops{SIGINT, SIGTERM, SIGHUP};
  std::array<sighandler_t, kStops.size()> before{};
  for (std::size_t i = 0; i < kStops.size(); ++i) before[i] = signal(kStops[i], SIG_DFL);
  auto signals = ProgramSignals::create();
  REQUIRE(signals.ok());
  ProgramSignals& watched = **signals;
  CHECK_FALSE(readable(watched.fd()));
  CHECK_FALSE(watched.take());
  for (const int number : kStops) {
    raise(number);
    CHECK(readable(watched.fd()));
    CHECK(watched.take());
    CHECK_FALSE(watched.take());
  }
  for (std::size_t i = 0; i < kStops.size(); ++i) signal(kStops[i], before[i]);
}

TEST_CASE("the mask and the disposition of SIGPIPE are restored") {
  const auto pipe_before = signal(SIGPIPE, SIG_DFL);
  {
    auto signals = ProgramSignals::create();
    REQUIRE(signals.ok());
    CHECK(is_blocked(SIGTERM));
  }
  CHECK_FALSE(is_blocked(SIGTERM));
  CHECK(signal(SIGPIPE, pipe_before) == SIG_DFL);
}

TEST_CASE("a signal that the program was started with ignoring stays ignored") {
  const auto before = signal(SIGHUP, SIG_IGN);
  {
    auto signals = ProgramSignals::create();
    REQUIRE(signals.ok());
    raise(SIGHUP);
    CHECK_FALSE((*signals)->take());
  }
  signal(SIGHUP, before);
}
