// Ends the test program when the loop of a runtime, in this process or in one that a case starts,
// has taken too long for a turn (bindings/host/turn_watch.h). Catch2's main includes it; a
// test program has it when one of its files includes turn_watch.h.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#if GIBBOUS_CATCH2 == 2
namespace gibbous::testing {
using ListenerBase = Catch::TestEventListenerBase;
}
#else
namespace gibbous::testing {
using ListenerBase = Catch::EventListenerBase;
}
#endif

namespace gibbous::testing {

bool watches_turns = false;  // turn_watch.h sets it

class TurnListener : public ListenerBase {
 public:
  using ListenerBase::ListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo&) override {
    if (!watches_turns) return;
    file_ =
        std::filesystem::temp_directory_path() / ("gibbous-turns-" + std::to_string(::getpid()));
    std::filesystem::remove(file_);
    ::setenv("GIBBOUS_TURN_WATCH", file_.c_str(), 1);
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (file_.empty()) return;
    std::ifstream stream(file_);
    const std::string turns{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(file_);
    if (turns.empty()) return;
    std::printf("%s: the loop stood still\n%s", name_of(stats).c_str(), turns.c_str());
    std::fflush(stdout);
    std::_Exit(1);
  }

 private:
  static std::string name_of(const Catch::TestCaseStats& stats) {
#if GIBBOUS_CATCH2 == 2
    return stats.testInfo.name;
#else
    return stats.testInfo->name;
#endif
  }

  std::filesystem::path file_;
};

}  // namespace gibbous::testing

using gibbous::testing::TurnListener;
CATCH_REGISTER_LISTENER(TurnListener)
