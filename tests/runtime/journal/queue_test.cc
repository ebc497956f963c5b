// The queue is bounded and reports that, and no thread that fills it waits for the disk.
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

// No other connection writes while it lives: the journal's thread waits for it.
class Hold {
 public:
  explicit Hold(const std::string& path) : plain_(path) { held_ = plain_.run("BEGIN IMMEDIATE"); }
  ~Hold() { release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  bool held() const { return held_; }
  void release() {
    if (held_) plain_.run("ROLLBACK");
    held_ = false;
  }

 private:
  Plain plain_;
  bool held_ = false;
};

TEST_CASE("a full queue is reported, and reported again when there is room") {
  Desk desk;
  desk.options.max_queue_bytes = 8'000;
  desk.options.busy_timeout = std::chrono::hours(1);
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.flush());
  Hold hold(desk.file());
  REQUIRE(hold.held());
  const std::string text(1'000, 'x');
  std::uint64_t seq = 0;
  Taken taken = Taken::kYes;
  // The thread has at most one queue's worth, the queue another.
  while (seq < 1'000 && (taken = desk.out("r", seq + 1, text)) == Taken::kYes) ++seq;
  REQUIRE(taken == Taken::kFull);
  CHECK(seq <= 14);
  CHECK(desk.journal->stats().queued_bytes <= desk.options.max_queue_bytes);
  // What matters more than output still has room.
  CHECK(desk.end("other") == Taken::kYes);
  hold.release();
  REQUIRE(desk.told.until([&](const Told& all) { return all.rooms > 0; }));
  REQUIRE(desk.out("r", ++seq, text) == Taken::kYes);
  REQUIRE(desk.flush());
  CHECK(desk.items("r").items.size() == seq);
  CHECK(desk.journal->durable_seq("r") == seq);
  CHECK(desk.journal->stats().not_kept == 0);
}

TEST_CASE("the queue is also bounded in entries") {
  Desk desk;
  desk.options.max_queue_entries = 16;
  desk.options.busy_timeout = std::chrono::hours(1);
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.flush());
  Hold hold(desk.file());
  REQUIRE(hold.held());
  std::uint64_t seq = 0;
  while (seq < 1'000 && desk.out("r", seq + 1, "") == Taken::kYes) ++seq;
  CHECK(seq >= 14);
  CHECK(seq <= 28);
  hold.release();
  REQUIRE(desk.flush());
  CHECK(desk.items("r").items.size() == seq);
}

TEST_CASE("an item larger than the whole queue is taken when the queue is empty") {
  Desk desk;
  desk.options.max_queue_bytes = 100;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.flush());
  REQUIRE(desk.out("r", 1, std::string(1'000, 'x')) == Taken::kYes);
  REQUIRE(desk.flush());
  CHECK(desk.items("r").items[0].payload.size() == 1'000);
}

TEST_CASE("many entries share one commit") {
  Desk desk;
  desk.options.commit_delay = std::chrono::hours(1);  // until a caller flushes
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  for (std::uint64_t seq = 1; seq <= 1'000; ++seq) REQUIRE(desk.out("r", seq, "x") == Taken::kYes);
  REQUIRE(desk.flush());
  CHECK(desk.journal->stats().commits == 1);
  CHECK(desk.journal->stats().durable_items == 1'000);
}

TEST_CASE("threads may append at the same time, each to its run") {
  Desk desk;
  desk.options.max_queue_bytes = 4'096;
  REQUIRE(desk.open());
  constexpr int kThreads = 3;
  constexpr std::uint64_t kItems = 2'000;
  for (int i = 0; i < kThreads; ++i) REQUIRE(desk.start(std::to_string(i)) == Taken::kYes);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&desk, id = std::to_string(i)] {
      for (std::uint64_t seq = 1; seq <= kItems;) {
        int rooms = 0;
        desk.told.tell([&](Told& all) { rooms = all.rooms; });
        if (desk.out(id, seq, id) == Taken::kYes) {
          ++seq;
        } else {
          desk.told.until([&](const Told& all) { return all.rooms > rooms; });
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(desk.flush());
  for (int i = 0; i < kThreads; ++i) {
    const ItemPage page = desk.items(std::to_string(i));
    REQUIRE(page.items.size() == kItems);
    CHECK(page.items.front().payload == std::to_string(i));
    CHECK(page.items.back().seq == kItems);
    CHECK(desk.journal->durable_seq(std::to_string(i)) == kItems);
  }
}

TEST_CASE("each commit is reported, and its contents can be read at once") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.out("r", 1, "x") == Taken::kYes);
  REQUIRE(desk.told.until([&](const Told&) { return desk.journal->durable_seq("r") == 1; }));
  CHECK(desk.told.durables >= 1);
  CHECK(desk.journal->durable_seq("nobody") == 0);
}

TEST_CASE("closing writes the queue and then reports") {
  Desk desk;
  desk.options.commit_delay = std::chrono::hours(1);
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.out("r", 1, "x") == Taken::kYes);
  REQUIRE(wait_for([&](JournalDone done) { desk.journal->close(std::move(done)); }));
  CHECK(desk.items("r").items.size() == 1);
  CHECK(desk.journal->durable_seq("r") == 1);
}

}  // namespace
}  // namespace gibbous::testing
