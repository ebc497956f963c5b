// Messages that a session's agent has not seen outlive their process, and go to one process only.
#include "tests/runtime/journal/crew.h"

namespace gibbous::testing {
namespace {

using Texts = std::vector<std::string>;

void add(Hand& hand, std::uint64_t seq, const std::string& text) {
  REQUIRE(hand.journal->add_backlog({"s", seq, "r", "up", text}) == Taken::kYes);
  REQUIRE(wait_for([&](JournalDone done) { hand.journal->flush(std::move(done)); }));
}

Texts take(Hand& hand, const std::string& session = "s") {
  const auto taken = answer_of<std::vector<BacklogMessage>>(
      [&](auto done) { return hand.journal->take_backlog(session, std::move(done)); });
  REQUIRE(taken.ok());
  Texts texts;
  for (const BacklogMessage& message : *taken) {
    CHECK(message.seq == 0);
    texts.push_back(message.payload);
  }
  return texts;
}

TEST_CASE("a session inherits from dead workers in order, until it is drained") {
  Crew crew;
  const auto a = crew.hire("a");
  const auto b = crew.hire("b");
  add(*a, 1, "a1");
  add(*a, 2, "a2");
  add(*b, 1, "b1");
  CHECK(take(*b).empty());  // a is alive
  crew.dies("a");
  CHECK(take(*b) == Texts{"a1", "a2"});
  CHECK(take(*b) == Texts{"a1", "a2"});
  CHECK(take(*b, "other").empty());
  crew.dies("b");
  const auto c = crew.hire("c");
  CHECK(take(*c) == Texts{"a1", "a2", "b1"});
  add(*c, 1, "c1");
  REQUIRE(c->journal->drain_backlog("s", 0) == Taken::kYes);
  CHECK(take(*c).empty());
  crew.dies("c");
  const auto d = crew.hire("d");
  CHECK(take(*d) == Texts{"c1"});
}

TEST_CASE("a run started directly does not delay the queue of its session") {
  Crew crew;
  const auto a = crew.hire("a");
  RunRecord direct = queued("server");
  direct.status = "running";
  REQUIRE(a->put(direct));
  REQUIRE(a->put(queued("first")));
  REQUIRE(a->put(queued("second")));
  const auto claimed = a->claim();
  REQUIRE(claimed.ok());
  REQUIRE(claimed->size() == 1);
  CHECK(claimed->front().run_id == "first");
  CHECK(a->claim()->empty());
}

}  // namespace
}  // namespace gibbous::testing
