// Runs a test of the keeper as root and as nobody, without control groups.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "runtime/base/unique_fd.h"
#include "tests/support/catch.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {

inline constexpr uid_t kNobody = 65534;

// Runs `body` in a child, as root and as nobody where this is root. It returns what is wrong, or
// "".
template <typename Body>
void as_each_user(Body body, const char* what = "") {
  for (const bool nobody : {false, true}) {
    if (nobody && ::geteuid() != 0) continue;
    DYNAMIC_SECTION(what << (nobody ? " as nobody" : " as the user of the tests")) {
      std::array<int, 2> ends{-1, -1};
      REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
      const pid_t pid = patient_fork();
      if (pid == 0) {
        ::setenv("GIBBOUS_CGROUPS", "off", 1);
        const bool done = !nobody || (::setgid(kNobody) == 0 && ::setuid(kNobody) == 0);
        std::string wrong = "cannot become nobody";
        try {
          if (done) wrong = body();
        } catch (...) {
          wrong = "an assertion failed";
        }
        (void)!::write(ends[1], wrong.data(), wrong.size());
        ::_exit(0);
      }
      ::close(ends[1]);
      const UniqueFd words(ends[0]);
      std::array<char, 1024> text{};
      std::string wrong;
      for (ssize_t got; (got = ::read(words.get(), text.data(), text.size())) > 0;) {
        wrong.append(text.data(), static_cast<std::size_t>(got));
      }
      int status = 0;
      ::waitpid(pid, &status, 0);
      CHECK(wrong == "");
      CHECK(status == 0);
    }
  }
}

}  // namespace gibbous::testing
