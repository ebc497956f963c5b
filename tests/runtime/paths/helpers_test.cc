// Helpers without processes: the tests play them, and the time.
#include "runtime/paths/helpers.h"

#include <sys/socket.h>

#include <array>
#include <map>
#include <set>

#include "runtime/paths/helper.h"
#include "tests/support/catch.h"

namespace gibbous::paths {
namespace {

using std::chrono::milliseconds;

class Desk {
 public:
  Desk()
      : helpers({[this] { return start(); }, [this](int fd) { watched.insert(fd); },
                 [this](int fd) { watched.erase(fd); }}) {}

  UniqueFd start() {
    if (refuses) return {};
    std::array<int, 2> ends{-1, -1};
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
    far.emplace_back(ends[1]);
    near.push_back(ends[0]);
    return UniqueFd(ends[0]);
  }
  Helpers::Ticket ask(const std::string& path, std::uint64_t mount = 1) {
    return helpers.ask({Ask::kReal, path, {}}, mount, now, [this, path](const Answer& answer) {
      answers[path] = answer.answered ? answer.text : "nobody";
    });
  }
  // What the helper has been asked; "" when nothing.
  std::string asked(std::size_t helper) {
    std::array<char, 4096> packet;
    const ssize_t size = ::recv(far.at(helper).get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (size <= 0) return "";
    return decode_question(std::span<const char>(packet.data(), static_cast<std::size_t>(size)))
        .value()
        .path;
  }
  // Answers, but does not say that it can be read.
  void leave(std::size_t helper, const std::string& text) {
    const std::string packet = encode(Answer{true, 0, text});
    REQUIRE(::send(far.at(helper).get(), packet.data(), packet.size(), 0) > 0);
  }
  void reply(std::size_t helper, const std::string& text) {
    leave(helper, text);
    helpers.on_readable(near.at(helper), now);
  }
  void end(std::size_t helper) {
    far.at(helper).reset();
    helpers.on_readable(near.at(helper), now);
  }
  void pass(milliseconds time) {
    now += time;
    if (helpers.due() <= now) helpers.on_time(now);
  }

  bool refuses = false;
  Helpers::Time now{std::chrono::hours(1)};
  std::vector<UniqueFd> far;
  std::vector<int> near;
  std::set<int> watched;
  std::map<std::string, std::string> answers;
  Helpers helpers;
};

TEST_CASE("helpers: one is started for the first question, and asked one thing after another") {
  Desk desk;
  CHECK(desk.helpers.due() == Helpers::Time::max());
  desk.ask("/a");
  desk.ask("/b");
  CHECK(desk.far.size() == 1);
  CHECK(desk.asked(0) == "/a");
  CHECK(desk.asked(0).empty());
  desk.reply(0, "/A");
  CHECK(desk.answers["/a"] == "/A");
  CHECK(desk.asked(0) == "/b");
  desk.reply(0, "/B");
  CHECK(desk.answers["/b"] == "/B");
  CHECK(desk.helpers.due() == Helpers::Time::max());
  CHECK(desk.far.size() == 1);
}

TEST_CASE("helpers: a mount that holds one up does not hold up questions about others") {
  Desk desk;
  desk.ask("/dead/a", 1);
  desk.ask("/alive/b", 2);
  desk.ask("/dead/c", 1);
  CHECK(desk.asked(0) == "/dead/a");
  desk.pass(kHeldUp);
  REQUIRE(desk.far.size() == 2);
  CHECK(desk.asked(1) == "/alive/b");
  desk.reply(1, "/B");
  CHECK(desk.answers["/alive/b"] == "/B");
  CHECK(desk.asked(1).empty());  // the dead mount gets no second helper
  desk.pass(kPatience);
  CHECK(desk.answers["/dead/a"] == "nobody");
  CHECK(desk.answers["/dead/c"] == "nobody");
  desk.ask("/dead/d", 1);
  CHECK(desk.answers.count("/dead/d") == 0);  // never from within ask()
  desk.pass(milliseconds(0));
  CHECK(desk.answers["/dead/d"] == "nobody");
  CHECK(desk.asked(1).empty());
  SECTION("and when it answers at last, it is asked again") {
    desk.reply(0, "/late");
    CHECK(desk.answers["/dead/a"] == "nobody");
    desk.ask("/dead/e", 1);
    CHECK(desk.asked(0) == "/dead/e");
    desk.reply(0, "/E");
    CHECK(desk.answers["/dead/e"] == "/E");
  }
}

TEST_CASE("helpers: with all of them held up, nobody answers, and none is started any more") {
  Desk desk;
  for (std::size_t i = 0; i < kMaxHelpers + 2; ++i) {
    desk.ask("/dead" + std::to_string(i), 10 + i);
    desk.pass(kHeldUp);
    desk.pass(kPatience);
    CHECK(desk.answers["/dead" + std::to_string(i)] == "nobody");
  }
  CHECK(desk.far.size() == kMaxHelpers);
  desk.reply(3, "/late");
  desk.ask("/b", 99);
  CHECK(desk.asked(3) != "");  // what it hung at
  CHECK(desk.asked(3) == "/b");
}

TEST_CASE("helpers: one that ends is replaced, and its question asked once more") {
  Desk desk;
  desk.ask("/a");
  CHECK(desk.asked(0) == "/a");
  desk.end(0);
  REQUIRE(desk.far.size() == 2);
  CHECK(desk.asked(1) == "/a");
  CHECK(desk.watched.size() == 1);
  desk.end(1);
  CHECK(desk.answers["/a"] == "nobody");
  desk.ask("/b");
  REQUIRE(desk.far.size() == 3);
  desk.reply(2, "/B");
  // After a while without questions it ends by itself.
  desk.end(2);
  CHECK(desk.watched.empty());
  desk.ask("/c");
  REQUIRE(desk.far.size() == 4);
  CHECK(desk.asked(3) == "/c");
}

TEST_CASE("helpers: one whose end has not been noticed is not asked in vain") {
  Desk desk;
  desk.ask("/a");
  desk.reply(0, "/A");
  desk.far[0].reset();
  desk.ask("/b");
  REQUIRE(desk.far.size() == 2);
  CHECK(desk.asked(1) == "/b");
  desk.helpers.on_readable(desk.near[0], desk.now);
  desk.reply(1, "/B");
  CHECK(desk.answers["/b"] == "/B");
}

TEST_CASE("helpers: none can be had") {
  Desk desk;
  desk.refuses = true;
  desk.ask("/a");
  CHECK(desk.answers.empty());
  desk.pass(milliseconds(0));
  CHECK(desk.answers["/a"] == "nobody");
}

TEST_CASE("helpers: an answer that came while the host stood still is read, however late it is") {
  Desk desk;
  desk.ask("/a");
  desk.ask("/b");
  desk.leave(0, "/A");
  desk.pass(kPatience * 2);
  CHECK(desk.answers["/a"] == "/A");
  CHECK(desk.asked(0) == "/a");
  CHECK(desk.asked(0) == "/b");
  desk.reply(0, "/B");
  CHECK(desk.answers["/b"] == "/B");
}

TEST_CASE("helpers: who stood still waits anew, but not for ever") {
  Desk desk;
  desk.ask("/a");
  for (int stops = 0; stops < kMostWaitedAnew; ++stops) {
    desk.pass(kPatience * 2);
    CHECK(desk.answers.empty());
  }
  desk.pass(kPatience * 2);
  CHECK(desk.answers["/a"] == "nobody");
}

TEST_CASE("helpers: a question that is dropped is not answered, wherever it is") {
  Desk desk;
  const auto first = desk.ask("/a");
  const auto second = desk.ask("/b");
  desk.helpers.drop(first);
  desk.helpers.drop(second);
  desk.reply(0, "/A");
  desk.pass(kPatience * 2);
  CHECK(desk.answers.empty());
  desk.ask("/dead", 5);
  desk.pass(kPatience);
  const auto refused = desk.ask("/dead/x", 5);
  desk.helpers.drop(refused);
  desk.pass(milliseconds(0));
  CHECK(desk.answers.count("/dead/x") == 0);
}

TEST_CASE("helpers: while questions wait, it is due only when there is something to do") {
  Desk desk;
  desk.ask("/dead/a", 1);
  desk.ask("/dead/b", 1);
  CHECK(desk.helpers.due() == desk.now + kHeldUp);
  desk.pass(kHeldUp);
  CHECK(desk.helpers.due() > desk.now);
}

TEST_CASE("helpers: the helper answers until its socket is closed") {
  std::array<int, 2> ends{-1, -1};
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
  UniqueFd near(ends[0]);
  for (const char* path : {"/", "/usr/.."}) {
    const std::string packet = *encode(Question{Ask::kReal, path, {}});
    REQUIRE(::send(near.get(), packet.data(), packet.size(), 0) > 0);
  }
  ::shutdown(near.get(), SHUT_WR);
  CHECK(serve(UniqueFd(ends[1])) == 0);
  std::array<char, 64> packet;
  for (int i = 0; i < 2; ++i) {
    const ssize_t size = ::recv(near.get(), packet.data(), packet.size(), 0);
    REQUIRE(size > 0);
    CHECK(
        decode_answer(std::span<const char>(packet.data(), static_cast<std::size_t>(size)))->text ==
        "/");
  }
}

}  // namespace
}  // namespace gibbous::paths
