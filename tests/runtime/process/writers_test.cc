// Which processes write the stdout of a tree's leader, with real pipelines.
#include "runtime/process/writers.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

// A shell in a process group of its own, whose stdout is a pipe.
class Shell {
 public:
  explicit Shell(const std::string& line, bool piped = true) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    output_.reset(ends[0]);
    const UniqueFd in(ends[1]);
    pid_ = patient_fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      ::dup2(null, STDIN_FILENO);
      ::dup2(null, STDERR_FILENO);
      ::dup2(piped ? in.get() : null, STDOUT_FILENO);
      ::execl("/bin/bash", "bash", "-c", line.c_str(), nullptr);
      ::_exit(1);
    }
    ::setpgid(pid_, pid_);
  }
  ~Shell() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  std::vector<OutputWriter> writers() const { return read_output_writers(pid_); }
  // Looks until the programs are these, in this order, and have their arguments.
  bool becomes(const std::vector<std::string>& programs) const {
    Loop loop;
    return loop.until([&] {
      std::vector<std::string> seen;
      for (const OutputWriter& writer : writers()) {
        if (!writer.argv.empty()) seen.push_back(writer.program);
      }
      return seen == programs;
    });
  }

 private:
  UniqueFd output_;
  pid_t pid_ = 0;
};

TEST_CASE("the writers of a pipeline are found, from its end to its beginning") {
  const Shell shell("sleep 600 | tail -f | cat; true");
  REQUIRE(shell.becomes({"bash", "cat", "tail", "sleep"}));
  const auto writers = shell.writers();
  CHECK(writers[1].direct);
  CHECK_FALSE(writers[2].direct);
  CHECK(writers[1].fed);
  CHECK(writers[2].fed);
  CHECK_FALSE(writers[3].fed);
  CHECK(writers[2].argv == std::vector<std::string>{"tail", "-f"});
  CHECK(writers[2].written_bytes.value_or(1) == 0);
}

TEST_CASE("a process whose output goes elsewhere is not a writer") {
  const Shell shell("sleep 600 >/dev/null & x=$(tail -f /dev/null); true");
  CHECK(shell.becomes({"bash"}));
}

TEST_CASE("a leader whose stdout is no pipe has no writers, nor has one that is gone") {
  const Shell shell("sleep 600; true", false);
  CHECK(shell.becomes({}));
  CHECK(read_output_writers(1 << 30).empty());
}

TEST_CASE("a writer says which variables it has, and what it has written") {
  const Shell shell("echo 12345; A=1 B= exec sleep 600");
  REQUIRE(shell.becomes({"sleep"}));
  const auto writers = shell.writers();
  const std::set<std::string> set(writers[0].variables.begin(), writers[0].variables.end());
  CHECK(set.count("A") == 1);
  CHECK(set.count("B") == 0);
  CHECK(writers[0].written_bytes.value_or(0) >= 6);
  CHECK(writers[0].argv == std::vector<std::string>{"sleep", "600"});
}

TEST_CASE("empty and very long arguments are kept as far as they fit") {
  const Shell shell("exec -a '' tail -f /dev/null '' " + std::string(2 * 4096, 'x'));
  Loop loop;
  REQUIRE(loop.until([&] {
    const auto writers = shell.writers();
    return writers.size() == 1 && writers[0].program == "tail" && !writers[0].argv.empty();
  }));
  const auto argv = shell.writers()[0].argv;
  REQUIRE(argv.size() == 5);
  CHECK(argv[0].empty());
  CHECK(argv[3].empty());
  CHECK(argv[4].size() < kMaxWriterArgumentBytes);
}

}  // namespace
}  // namespace gibbous::testing
