// Every record is in the files, once and whole, despite other writers and a failing disk.
#include "runtime/audit/decision_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

constexpr std::uint64_t kSmallFile = 1000;

struct Desk {
  TempDir dir;

  std::string directory() const { return dir.path() + "/state"; }
  std::string file(int number = 0) const {
    return directory() + "/decisions.jsonl" + (number == 0 ? "" : "." + std::to_string(number));
  }
  DecisionLogOptions options() const { return {.directory = directory()}; }
  std::string text(int number = 0) const {
    std::ifstream in(file(number), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> lines(int number = 0) const {
    std::istringstream in(text(number));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
};

// While it lives, no file of this process may become larger.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~SizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("an unused log creates no file") {
  Desk desk;
  { const DecisionLog log(desk.options()); }
  CHECK_FALSE(fs::exists(desk.directory()));
}

TEST_CASE("each record is one line, appended to a file that only this user can read") {
  Desk desk;
  {
    DecisionLog log(desk.options());
    CHECK(log.append(R"({"decision":"allow"})"));
  }
  DecisionLog log(desk.options());
  CHECK(log.append(R"({"decision":"deny"})"));
  CHECK(desk.text() == "{\"decision\":\"allow\"}\n{\"decision\":\"deny\"}\n");
  struct stat file {};
  REQUIRE(::stat(desk.file().c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0600);
}

TEST_CASE("a full file becomes the first rotated one, and the oldest is removed") {
  Desk desk;
  DecisionLogOptions options = desk.options();
  options.max_bytes = kSmallFile;
  options.files = 3;
  DecisionLog log(options);
  const std::string record(kSmallFile / 2 - 1, 'x');
  for (char each = 'a'; each <= 'i'; ++each) REQUIRE(log.append(each + record.substr(1)));
  const auto first_letters = [&](int number) {
    std::string letters;
    for (const std::string& line : desk.lines(number)) letters += line.front();
    return letters;
  };
  CHECK(first_letters(0) == "i");
  CHECK(first_letters(1) == "gh");
  CHECK(first_letters(2) == "ef");
  CHECK_FALSE(fs::exists(desk.file(3)));
}

TEST_CASE("a log of a single file removes it when it is full") {
  Desk desk;
  DecisionLogOptions options = desk.options();
  options.max_bytes = 1;
  options.files = 1;
  DecisionLog log(options);
  CHECK(log.append("one"));
  CHECK(log.append("two"));
  CHECK(desk.text() == "two\n");
  CHECK_FALSE(fs::exists(desk.file(1)));
}

TEST_CASE("processes that write and rotate at the same time lose nothing and mix nothing") {
  constexpr int kProcesses = 4;
  constexpr int kEach = 300;
  constexpr std::uint32_t kManyFiles = 90;
  Desk desk;
  DecisionLogOptions options = desk.options();
  options.max_bytes = kSmallFile;
  options.files = kManyFiles;
  for (int process = 0; process < kProcesses; ++process) {
    if (gibbous::testing::patient_fork() != 0) continue;
    DecisionLog log(options);
    bool good = true;
    for (int each = 0; each < kEach; ++each) {
      const std::string record = std::to_string(process) + "." + std::to_string(each) + " ";
      // `unavailable`: another process was rotating for long.
      while (true) {
        const Status kept = log.append(record + std::string(40, static_cast<char>('a' + process)));
        good = (kept.ok() || kept.code() == "unavailable") && good;
        if (kept || !good) break;
      }
    }
    ::_exit(good ? 0 : 1);
  }
  for (int process = 0; process < kProcesses; ++process) {
    int status = 0;
    REQUIRE(::wait(&status) > 0);
    CHECK(status == 0);
  }
  std::set<std::string> seen;
  std::size_t count = 0;
  for (int number = 0; number < static_cast<int>(kManyFiles); ++number) {
    for (const std::string& line : desk.lines(number)) {
      // A process that opens the file while half of a record is visible ends the line of the half;
      // the other half then left an empty line.
      if (line.empty()) continue;
      ++count;
      seen.insert(line.substr(0, line.find(' ')));
      const std::string body = line.substr(line.find(' ') + 1);
      CHECK(body == std::string(40, static_cast<char>('a' + (line.front() - '0'))));
    }
  }
  CHECK(count == kProcesses * kEach);
  CHECK(seen.size() == kProcesses * kEach);
}

TEST_CASE("records are written while another process rotates") {
  Desk desk;
  DecisionLogOptions options = desk.options();
  options.max_bytes = 1;
  DecisionLog log(options);
  REQUIRE(log.append("one"));
  UniqueFd held(
      ::open((desk.directory() + "/decisions.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(::flock(held.get(), LOCK_EX) == 0);
  CHECK(log.append("two"));
  CHECK(desk.text() == "one\ntwo\n");
  held.reset();
  CHECK(log.append("three"));
  CHECK(desk.text() == "three\n");
  CHECK(desk.text(1) == "one\ntwo\n");
}

TEST_CASE("a file that is removed is created again") {
  Desk desk;
  DecisionLog log(desk.options());
  REQUIRE(log.append("one"));
  SECTION("the file") {
    fs::remove(desk.file());
  }
  SECTION("the directory") {
    fs::remove_all(desk.directory());
  }
  CHECK(log.append("two"));
  CHECK(desk.text() == "two\n");
}

TEST_CASE("a file that other users can access is not written to") {
  Desk desk;
  const fs::path path = desk.file();
  fs::create_directory(desk.directory());
  const std::string victim = desk.dir.write("victim", "untouched\n");
  std::string why;
  SECTION("a symbolic link") {
    fs::create_symlink(victim, path);
    why = "symbolic link";
  }
  SECTION("a hard link") {
    fs::create_hard_link(victim, path);
    why = "another name";
  }
  SECTION("a fifo") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    why = "not a regular file";
  }
  SECTION("one that others may write to") {
    fs::rename(victim, path);
    REQUIRE(::chmod(path.c_str(), 0666) == 0);
    why = "others may write to it";
  }
  SECTION("a directory that others may write to") {
    REQUIRE(::chmod(desk.directory().c_str(), 0777) == 0);
    why = "no other user may write to it";
  }
  DecisionLog log(desk.options());
  const Status refused = log.append("one");
  CHECK(refused.code() == "unavailable");
  CHECK_THAT(refused.message(), Contains(why) && Contains(path.string()));
  if (fs::exists(victim)) CHECK(fs::file_size(victim) == std::string("untouched\n").size());
}

TEST_CASE("a partly written record is written again, on a line of its own") {
  Desk desk;
  DecisionLog log(desk.options());
  REQUIRE(log.append("12345"));
  {
    const SizeLimit nearly_full(10);
    CHECK_FALSE(log.append("67890"));
    CHECK(desk.text() == "12345\n6789");
  }
  // Another process sees the same.
  DecisionLog other(desk.options());
  CHECK(other.append("other"));
  CHECK(log.append("67890"));
  CHECK(desk.text() == "12345\n6789\nother\n67890\n");
}

}  // namespace
}  // namespace gibbous::testing
