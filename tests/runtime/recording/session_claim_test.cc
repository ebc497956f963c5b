#include "runtime/queue/session_claim.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

class Place {
 public:
  Place() {
    std::string name = "/tmp/gibbous-test-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Place() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr Nanos kLater{1'000'000'000};

TEST_CASE("a session belongs to the first process that claims it, and the second gets a number") {
  const Place place;
  SessionClaim first(place.path(), "claude@/p");
  SessionClaim second(place.path(), "claude@/p");
  SessionClaim other(place.path(), "codex@/p");
  REQUIRE(*first.attempt(Nanos{0}));
  CHECK(first.name() == "claude@/p");
  CHECK_FALSE(*second.attempt(Nanos{0}));  // the owner may be about to notice that its client left
  REQUIRE(*second.attempt(kLater));
  CHECK(second.name() == "claude@/p#2");
  REQUIRE(*other.attempt(Nanos{0}));
  CHECK(other.name() == "codex@/p");
}

TEST_CASE("a claim ends with its owner, and with its process") {
  const Place place;
  {
    SessionClaim gone(place.path(), "a@/p");
    REQUIRE(*gone.attempt(Nanos{0}));
  }
  const pid_t child = patient_fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    SessionClaim held(place.path(), "a@/p");
    ::kill(*held.attempt(Nanos{0}) ? ::getpid() : 0, SIGSTOP);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, WUNTRACED) == child);
  SessionClaim next(place.path(), "a@/p");
  CHECK_FALSE(*next.attempt(Nanos{0}));
  REQUIRE(::kill(child, SIGKILL) == 0);
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(*next.attempt(Nanos{0}));
  CHECK(next.name() == "a@/p");
}

TEST_CASE("a wait for an ending owner may take longer than for a living one") {
  const Place place;
  auto ending = std::make_unique<SessionClaim>(place.path(), "a@/p");
  REQUIRE(*ending->attempt(Nanos{0}));
  ending->announce_end();
  SessionClaim next(place.path(), "a@/p");
  CHECK_FALSE(*next.attempt(Nanos{0}));
  CHECK_FALSE(*next.attempt(kLater));
  ending.reset();
  REQUIRE(*next.attempt(kLater));
  CHECK(next.name() == "a@/p");
  SessionClaim after(place.path(), "a@/p");  // the note of the end went with its owner
  CHECK_FALSE(*after.attempt(Nanos{0}));
  REQUIRE(*after.attempt(kLater));
  CHECK(after.name() == "a@/p#2");
}

TEST_CASE("a claim follows no link, and names the path that it cannot use") {
  const Place place;
  const std::string directory = place.path() + "/sessions";
  std::filesystem::create_directory(place.path() + "/elsewhere");
  SessionClaim plain(place.path(), "a@/p");
  REQUIRE(*plain.attempt(Nanos{0}));
  const auto file = std::filesystem::directory_iterator(directory)->path();
  SessionClaim linked(place.path(), "b@/p");
  REQUIRE(*linked.attempt(Nanos{0}));
  for (const auto& each : std::filesystem::directory_iterator(directory)) {
    if (each.path() == file) continue;
    std::filesystem::remove(each.path());
    std::filesystem::create_symlink(place.path() + "/target", each.path());
  }
  SessionClaim refused(place.path(), "b@/p");
  const Result<bool> answer = refused.attempt(Nanos{0});
  REQUIRE_FALSE(answer);
  CHECK(answer.status().code() == "state_file_unusable");
  CHECK_FALSE(std::filesystem::exists(place.path() + "/target"));
  SessionClaim nowhere("/proc/none", "a@/p");
  CHECK(nowhere.attempt(Nanos{0}).status().code() == "state_dir_unusable");
}

}  // namespace
}  // namespace gibbous::testing
