// Wait: waits for any or all of some conditions over runs, ports, files and time, with a deadline.
// The answer comes once, from the loop. While it waits, it costs only the probes that it needs.
// Output from before the wait counts. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/runs/runs.h"

struct uv_loop_s;

namespace gibbous {

enum class ConditionKind : std::uint8_t {
  kExit,
  kStart,
  kReady,
  kPort,
  kRegex,
  kScreen,
  kHttp,
  kQuiet,
  kInput,
  kFile,
  kLog,
  kTimer
};
const char* to_string(ConditionKind kind);

struct Condition {
  ConditionKind kind = ConditionKind::kExit;
  std::string run;      // id; required for exit, start, ready, regex, screen, quiet, input. For
                        // the others:
                        // fail when this run ends
  int port = 0;         // 1-65535
  std::string host;     // port: "" is any address of this machine's loopback, IPv4 or IPv6
  int mapped_from = 0;  // port: the run's own port, which others reach as `port`
  // regex: RE2 syntax, matched against each line without its end; screen: against each row that is
  // shown
  std::string pattern;
  std::optional<StreamId> stream;  // regex: only this stream
  std::optional<Offset> since;     // regex: only from this offset of `stream` (else stdout) on; by
                                   // default all that is kept
  // regex: instead, only lines behind these offsets of stdout and stderr. Of those that are there
  // already the newest counts, else the next one that comes.
  std::optional<ArrivalOrder::Offsets> behind;
  std::string url;         // http://host[:port]/path
  std::string mapped_url;  // http: requested in place of url; "": url
  int status = 0;          // http: this status; 0: any from 200 to 399
  Millis duration{0};      // quiet, timer
  std::string path;        // file; absolute
  std::string session;     // file: what its sandboxed runs have at `path` counts, too
  bool absent = false;     // file, screen: wait until it is gone
  // kLog: true once the run has ended and the files have all its output; else when they are open.
  bool written = false;
};

struct Fired {
  std::size_t condition = 0;  // index into WaitSpec::conditions
  std::string run;            // of that condition, if it has one
  std::string
      line;  // regex, screen: the line; input: the prompt; cleaned; at most kMaxReportedLineBytes
  std::vector<std::string> captures;  // regex, screen: groups 1..n
  std::optional<StreamId> stream;     // regex
  Offset cursor = 0;                  // regex: offset just after the line
  std::optional<Millis> age;          // regex with `behind`: of a line that was there already
  std::size_t column = 0;             // regex: where in `line` the match begins, from 1
  int row = 0;                        // screen: number of the row, from 1; 0 for `absent`
  int status = 0;                     // http
  pid_t pid = 0;                      // port: the process that listens, if known; input: the
                                      // process that waits
  std::string address;                // port: the address that answered
};

struct WaitSpec {
  std::vector<Condition> conditions;
  bool all = false;  // else any
  std::optional<Millis> timeout;
};

enum class WaitEnd : std::uint8_t { kFired, kTimeout, kImpossible };

struct WaitResult {
  WaitEnd end = WaitEnd::kFired;
  std::vector<Fired> fired;  // in order of firing; for `any` one
  std::string message;       // timeout, impossible: a sentence that says which condition and why
  std::string seen;          // timeout, impossible: the last that was seen instead: "status 503"
  bool older = false;        // the same: `seen` is a line that does not count
  std::string obstacle;      // impossible while the run goes on: what another program has
  std::string run;           // impossible: the run that ended, or that cannot get there
  std::string tail;          // impossible, timeout: the last lines of that run's output, cleaned
  Millis elapsed{0};
};

inline constexpr std::size_t kMaxReportedLineBytes = 4096;
inline constexpr std::size_t kMaxConditions = 64;

class Waits;  // waits.h

// One wait that has begun. Valid until its on_done has returned, cancel(), or the end of its Waits.
class Wait {
 public:
  virtual ~Wait() = default;
  // Cancels the answer; the object frees itself.
  virtual void cancel() = 0;
};

}  // namespace gibbous
