// LastLine: the newest line of output among some runs, as a person may read it while a call waits
// for them: on one line, without control characters and secrets, and short. Loop thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/output/arrival_order.h"

namespace gibbous {
class Run;
class Runs;
}  // namespace gibbous

namespace gibbous::lua {

inline constexpr std::size_t kMaxLastLineBytes = 200;

class LastLine {
 public:
  using Redact = std::function<std::string(std::string_view)>;

  // Returns that line as it is now; "" when there is none. With several runs, the name of its run
  // comes first. A line without an end counts once it has not changed since the last look, because
  // a secret in it may have come in part only.
  std::string look(Runs& runs, const std::vector<std::string>& ids, const Redact& redact);

 private:
  // What the last look has seen of a run.
  struct Seen {
    ArrivalOrder::Offsets ends{};  // of its streams
    std::size_t newest = 0;        // the stream that has grown last
    std::string line;
    bool settled = false;  // nothing had come since the look before
  };
  static void look_again(const Run& run, const Redact& redact, Seen* seen);

  std::map<std::string, Seen> seen_;  // by run
};

}  // namespace gibbous::lua
