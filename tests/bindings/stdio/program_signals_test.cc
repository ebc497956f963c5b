// Signals as a readable descriptor, and the restored state afterwards.
#include "bindings/stdio/program_signals.h"

#include <poll.h>
#include <signal.h>

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
  auto signals = ProgramSignals::create();
  REQUIRE(signals.ok());
  ProgramSignals& watched = **signals;
  CHECK_FALSE(readable(watched.fd()));
  CHECK_FALSE(watched.take());
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    raise(number);
    CHECK(readable(watched.fd()));
    CHECK(watched.take());
    CHECK_FALSE(watched.take());
  }
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
