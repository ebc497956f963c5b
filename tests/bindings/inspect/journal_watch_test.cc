// Followers of the journal rest until something is written.
#include "bindings/inspect/journal_watch.h"

#include <poll.h>

#include <filesystem>

#include "tests/runtime/journal/desk.h"
#include "tests/support/catch.h"

namespace gibbous::inspect {
namespace {

using testing::Desk;

constexpr int kPatienceMillis = 30'000;

bool is_readable(const JournalWatch& watch, int millis) {
  pollfd file{watch.fd(), POLLIN, 0};
  return ::poll(&file, 1, millis) == 1;
}

TEST_CASE("a write to the journal is reported, also to a file that takes its place") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.flush());
  auto watch = JournalWatch::create(desk.directory());
  REQUIRE(watch);
  CHECK_FALSE(is_readable(*watch, 0));
  REQUIRE(desk.start("r") == Taken::kYes);
  CHECK(is_readable(*watch, kPatienceMillis));
  REQUIRE(desk.flush());
  desk.journal.reset();
  watch->drain();
  CHECK_FALSE(is_readable(*watch, 0));
  std::filesystem::rename(desk.file(), desk.file() + ".old");
  std::filesystem::rename(desk.file() + ".old", desk.file());
  CHECK(is_readable(*watch, kPatienceMillis));
}

TEST_CASE("a directory that does not exist has no reports") {
  CHECK_FALSE(JournalWatch::create("/no/such/directory"));
}

}  // namespace
}  // namespace gibbous::inspect
