#include "runtime/journal/notices.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "runtime/base/state_file.h"
#include "tests/runtime/journal/crew.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;

// Waits for a notice and takes it; with `patience` 0, only looks.
bool notified(const NoticeSocket& socket, Millis patience = kPatience) {
  pollfd polled{socket.fd(), POLLIN, 0};
  const bool came = ::poll(&polled, 1, static_cast<int>(patience.count())) == 1;
  if (came) socket.take();
  return came;
}

// What was sent before has arrived: datagrams do not wait on their way.
bool quiet(const NoticeSocket& socket) {
  return !notified(socket, Millis{0});
}

std::unique_ptr<NoticeSocket> open_socket(const std::string& directory, const std::string& worker) {
  auto socket = NoticeSocket::open(directory, worker);
  INFO(socket.status().message());
  REQUIRE(socket);
  return std::move(*socket);
}

std::size_t names_below(const std::string& directory) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    count += entry.is_socket() ? 1 : 0;
  }
  return count;
}

TEST_CASE("a notice reaches those that listen to its topic, but not its sender") {
  const TempDir dir;
  const auto a = open_socket(dir.path(), "a");
  const auto b = open_socket(dir.path(), "b");
  const auto c = open_socket(dir.path(), "c");
  REQUIRE(a->listen(topic_of_client("x@/p")));
  REQUIRE(b->listen(topic_of_client("x@/p")));
  REQUIRE(c->listen(topic_of_client("y@/p")));
  send_notices(dir.path(), "a", {{"x@/p"}, {}});
  CHECK(notified(*b));
  CHECK(quiet(*a));
  CHECK(quiet(*c));
  send_notices(dir.path(), "", {{}, {"a", "c"}});
  CHECK(notified(*a));
  CHECK(notified(*c));
  CHECK(quiet(*b));
}

TEST_CASE("those that serve all clients, or those that no process owns, get their notices") {
  const TempDir dir;
  const auto all = open_socket(dir.path(), "all");
  const auto unclaimed = open_socket(dir.path(), "unclaimed");
  REQUIRE(all->listen(kTopicOfAll));
  REQUIRE(unclaimed->listen(kTopicOfUnclaimed));
  send_notices(dir.path(), "", {{"x@/p"}, {}});
  CHECK(notified(*all));
  CHECK(quiet(*unclaimed));
  send_notices(dir.path(), "", {{"a name"}, {}});
  CHECK(notified(*all));
  CHECK(notified(*unclaimed));
}

TEST_CASE("a socket leaves nothing behind, and names of killed processes are removed") {
  const TempDir dir;
  {
    const auto a = open_socket(dir.path(), "a");
    REQUIRE(a->listen(topic_of_client("x@/p")));
    CHECK(names_below(dir.path() + "/notices") == 2);
  }
  CHECK(fs::is_empty(dir.path() + "/notices"));
  const pid_t child = patient_fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto held = NoticeSocket::open(dir.path(), "killed");
    const bool listens = held && (*held)->listen(topic_of_client("x@/p")) &&
                         (*held)->listen(topic_of_client("y@/p"));
    ::kill(::getpid(), listens ? SIGKILL : SIGTERM);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WTERMSIG(status) == SIGKILL);
  CHECK(names_below(dir.path() + "/notices") == 3);
  send_notices(dir.path(), "", {{"x@/p"}, {}});
  CHECK(names_below(dir.path() + "/notices") == 2);
  const auto b = open_socket(dir.path(), "b");
  REQUIRE(b->listen(topic_of_client("y@/p")));
  b->forget("killed");
  CHECK(names_below(dir.path() + "/notices") == 2);  // both of b
}

TEST_CASE("a socket notices that the state directory was removed") {
  const TempDir dir;
  const auto socket = open_socket(dir.path(), "a");
  CHECK(socket->is_in_place());
  fs::remove_all(dir.path() + "/notices");
  CHECK_FALSE(socket->is_in_place());
}

TEST_CASE("notices follow no link, and their folder belongs to this user alone") {
  const TempDir dir;
  const TempDir elsewhere;
  REQUIRE(open_state_directory(dir.path() + "/notices", true));
  const auto probe = open_socket(dir.path(), "probe");
  for (const auto& topic : fs::directory_iterator(dir.path() + "/notices")) {
    fs::remove_all(topic.path());
    fs::create_directory_symlink(elsewhere.path(), topic.path());
  }
  CHECK(NoticeSocket::open(dir.path(), "probe").status().code() == "notices_unusable");
  CHECK(fs::is_empty(elsewhere.path()));
  fs::permissions(dir.path() + "/notices", fs::perms::all);
  CHECK(NoticeSocket::open(dir.path(), "other").status().code() == "state_dir_unusable");
}

TEST_CASE("each change of the queue notifies the workers that it concerns") {
  Crew crew;
  const auto one = crew.hire("one");
  const auto two = crew.hire("two");
  const auto serves = open_socket(crew.directory(), "serves");
  REQUIRE(serves->listen(topic_of_client("c")));
  const auto owner = open_socket(crew.directory(), "one");
  RunRecord run = queued("a");
  run.client = "c";
  REQUIRE(two->put(run));
  CHECK(notified(*serves));
  REQUIRE(one->claimed() == std::vector<std::string>{"a"});
  CHECK(notified(*serves));
  CHECK(quiet(*owner));
  REQUIRE(two->kill("a"));
  CHECK(notified(*owner));
  CHECK(quiet(*serves));
  REQUIRE(one->put(with_status(run, "completed")));
  CHECK(notified(*serves));
  // A run that was not queued concerns no other process until it ends, and its place is free.
  const auto waits = open_socket(crew.directory(), "waits");
  REQUIRE(waits->listen(kTopicOfPlaces));
  RunRecord direct = with_status(queued("b"), "running");
  direct.client = "c";
  REQUIRE(one->put(direct));
  REQUIRE(one->put(direct));
  REQUIRE(one->flush());
  CHECK(quiet(*serves));
  CHECK(quiet(*waits));
  REQUIRE(one->put(with_status(direct, "completed")));
  CHECK(notified(*serves));
  CHECK(notified(*waits));
}

TEST_CASE("a worker that joins or leaves notifies the one before it, which watches it") {
  Crew crew;
  const auto first = crew.hire("a");
  const auto last = crew.hire("m");
  const auto socket_a = open_socket(crew.directory(), "a");
  const auto socket_m = open_socket(crew.directory(), "m");
  auto between = crew.hire("c");
  CHECK(notified(*socket_a));
  CHECK(quiet(*socket_m));
  REQUIRE(between->leave());
  CHECK(notified(*socket_a));
  const auto before_all = crew.hire("A");
  CHECK(notified(*socket_m));
  CHECK(quiet(*socket_a));
  const auto elsewhere = crew.hire("b", 0, "another boot");
  CHECK(quiet(*socket_a));
}

}  // namespace
}  // namespace gibbous::testing
