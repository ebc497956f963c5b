// Lines for descriptors of each kind, none of which may make the writer wait.
#include "bindings/stdio/output_queue.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/loop.h"

using gibbous::UniqueFd;
using gibbous::stdio::OutputQueue;

namespace {

constexpr std::size_t kLineBytes = 100'000;
constexpr int kLines = 20;  // much more than a pipe or a socket holds

struct Ends {
  UniqueFd read;
  UniqueFd write;
};

Ends make_pipe() {
  std::array<int, 2> fds{};
  REQUIRE(pipe2(fds.data(), O_CLOEXEC) == 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Ends make_socket() {
  std::array<int, 2> fds{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

std::string read_some(int fd) {
  std::string text(kLineBytes, '\0');
  const ssize_t count = read(fd, text.data(), text.size());
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

std::string line_of(int number) {
  return std::string(kLineBytes, static_cast<char>('a' + number));
}

}  // namespace

TEST_CASE("a slow reader gets everything in order, and never blocks the writer") {
  const bool as_socket = GENERATE(false, true);
  INFO((as_socket ? "socket" : "pipe"));
  Ends ends = as_socket ? make_socket() : make_pipe();
  OutputQueue queue(ends.write.get());
  std::string expected;
  for (int number = 0; number < kLines; ++number) {
    queue.push(line_of(number));
    expected += line_of(number) + "\n";
  }
  queue.flush();
  CHECK(queue.pending_bytes() > 0);

  std::string got;
  while (got.size() < expected.size()) {
    got += read_some(ends.read.get());
    queue.flush();
  }
  CHECK(got == expected);
  CHECK(queue.pending_bytes() == 0);
}

TEST_CASE("the descriptor's flags, which others share, stay as they are") {
  Ends ends = make_pipe();
  const int before = fcntl(ends.write.get(), F_GETFL);
  OutputQueue queue(ends.write.get());
  queue.push(line_of(0));
  queue.flush();
  CHECK(fcntl(ends.write.get(), F_GETFL) == before);
}

TEST_CASE("a closed reader is noticed, and lines for it are dropped") {
  signal(SIGPIPE, SIG_IGN);
  Ends ends = make_pipe();
  OutputQueue queue(ends.write.get());
  ends.read.reset();
  queue.push("x");
  queue.flush();
  CHECK(queue.broken());
  queue.push("y");
  CHECK(queue.pending_bytes() == 0);
}

TEST_CASE("lines are appended to a file at its current end") {
  const gibbous::testing::TempDir directory;
  const std::string path = directory.write("out", "before\n");
  const UniqueFd file(open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  OutputQueue queue(file.get());
  queue.push(line_of(0));
  queue.push("after");
  queue.flush();
  CHECK(queue.pending_bytes() == 0);
  CHECK(lseek(file.get(), 0, SEEK_END) == static_cast<off_t>(7 + kLineBytes + 1 + 6));
}
