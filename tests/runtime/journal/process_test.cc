// Other processes: writers that are killed, readers beside a writer.
#include <csignal>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "runtime/journal/set_aside.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

// The text that journal_child writes.
std::string text_of(std::uint64_t seq) {
  constexpr std::uint64_t kLengths = 257;
  return std::to_string(seq) + std::string(seq * seq % kLengths, 'x');
}

// Checks that every item of the run is there once, in order and whole. Returns the last.
std::uint64_t checked_last(const Desk& desk, const std::string& id) {
  const auto reader = desk.reader();
  std::uint64_t since = 0;
  for (bool more = true; more;) {
    const auto page = reader->items(id, since, 10'000);
    REQUIRE(page);
    for (const StoredItem& item : page->items) {
      REQUIRE(item.type == ItemType::kStdout);
      REQUIRE(item.seq == since + 1);
      REQUIRE(item.payload == text_of(item.seq));
      since = item.seq;
    }
    more = page->more;
  }
  CHECK(reader->run(id)->last_seq == since);
  return since;
}

TEST_CASE("items reported durable by a killed writer are stored, each once and in order") {
  Desk desk;
  std::mt19937 random(20'261'122);
  constexpr int kRounds = 12;
  constexpr int kMostAnswers = 20;
  std::uint64_t acknowledged = 0;
  for (int round = 0; round < kRounds; ++round) {
    Program writer(journal_child({"write", desk.directory(), "r"}));
    std::uint64_t told = 0;
    for (int left = static_cast<int>(random() % kMostAnswers) + 1; left > 0; --left) {
      const auto line = writer.read_line();
      REQUIRE(line);
      told = std::strtoull(line->c_str(), nullptr, 10);
    }
    writer.send_signal(SIGKILL);
    REQUIRE(writer.wait());
    // Its output before it ended counts too.
    const std::string rest = writer.read_rest();
    const std::size_t end = rest.rfind('\n');
    if (end != std::string::npos && end > 0) {
      const std::size_t begin = rest.rfind('\n', end - 1);
      told =
          std::strtoull(rest.c_str() + (begin == std::string::npos ? 0 : begin + 1), nullptr, 10);
    }
    CHECK(told >= acknowledged);
    acknowledged = told;
    REQUIRE(checked_last(desk, "r") >= acknowledged);
  }
  CHECK(acknowledged > 0);
  CHECK(check_journal(desk.directory()));
}

TEST_CASE("two processes read while a third writes") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.flush());
  constexpr std::uint64_t kItems = 5'000;
  const std::vector<std::string> arguments = {"read", desk.directory(), "r",
                                              std::to_string(kItems)};
  Program one(journal_child(arguments));
  Program two(journal_child(arguments));
  for (std::uint64_t seq = 1; seq <= kItems; ++seq) {
    REQUIRE(desk.out("r", seq, text_of(seq)) == Taken::kYes);
    if (seq % 50 == 0) REQUIRE(desk.flush());
  }
  const auto first = one.wait();
  const auto second = two.wait();
  REQUIRE(first);
  REQUIRE(second);
  INFO(one.stderr_text() << two.stderr_text());
  CHECK(first->code == 0);
  CHECK(second->code == 0);
}

TEST_CASE("two processes write, each its own runs") {
  Desk desk;
  Program one(journal_child({"write", desk.directory(), "one"}));
  Program two(journal_child({"write", desk.directory(), "two"}));
  constexpr int kAnswers = 5;
  for (int i = 0; i < kAnswers; ++i) {
    REQUIRE(one.read_line());
    REQUIRE(two.read_line());
  }
  one.send_signal(SIGKILL);
  two.send_signal(SIGKILL);
  REQUIRE(one.wait());
  REQUIRE(two.wait());
  CHECK(checked_last(desk, "one") > 0);
  CHECK(checked_last(desk, "two") > 0);
}

TEST_CASE(
    "a full disk is reported, keeps earlier records, and waiting ones are written afterwards") {
  Desk desk;
  // Its limit of file sizes; SIGXFSZ would end a process in which it is not held back.
  Program writer(journal_child({"full", desk.directory(), "r"}));
  const auto code = writer.read_line();
  const auto message = writer.read_line();
  const auto recovered = writer.read_line();
  const auto given = writer.read_line();
  const auto durable = writer.read_line();
  REQUIRE(durable);
  CHECK(*code == "journal_full");
  CHECK_THAT(*message, Contains(desk.file()));
  CHECK_THAT(*message, Contains("make room"));
  CHECK(*recovered == "recovered");
  CHECK(*durable == *given);
  REQUIRE(writer.wait());
  CHECK(std::to_string(checked_last(desk, "r")) == *given);
}

}  // namespace
}  // namespace gibbous::testing
