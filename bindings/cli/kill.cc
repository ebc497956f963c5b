// `gibbous kill`: ends a run of any process. A request in the journal asks its host, which kills it
// as bg_kill does. A detached run whose host is gone is adopted first.
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "bindings/cli/commands.h"
#include "bindings/cli/follow.h"
#include "bindings/cli/json_members.h"
#include "bindings/cli/report.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/inspect/live.h"
#include "bindings/inspect/run_text.h"
#include "bindings/json/json.h"
#include "runtime/base/clock.h"
#include "runtime/journal/kill_request.h"

namespace gibbous::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Longer than the grace period before SIGKILL, which is five seconds unless configured otherwise.
constexpr std::chrono::seconds kPatience{30};
// The time that an owner has to take the run over.
constexpr std::chrono::seconds kAdoption{3};

std::string signal_word(std::string word) {
  if (word.rfind("SIG", 0) == 0) word.erase(0, 3);
  return word;
}

ExitCode tell(const RunRecord& run, bool killed, const Options& options) {
  if (options.json) {
    std::printf("{\"run\":%s,\"state\":%s,\"killed\":%s}\n", json_quote(run.run_id).c_str(),
                json_quote(run.status).c_str(), killed ? "true" : "false");
  } else {
    std::printf("%s %s%s\n", run.run_id.c_str(), run.status.c_str(),
                killed ? "" : " (it had ended already)");
  }
  return ExitCode::kDone;
}

// The run that replaces an ended one; "": none.
std::string next_of(const RunRecord& run) {
  const Json meta = Json::parse(run.meta_json, nullptr, false);
  return meta.is_object() ? meta.value("next", "") : "";
}

// Follows a run that was restarted to the one that replaces it now.
Result<RunRecord> newest(JournalReader& reader, RunRecord run) {
  while (inspect::has_ended(run)) {
    const std::string next = next_of(run);
    if (next.empty()) break;
    Result<RunRecord> found = reader.run(next);
    if (found) {
      run = std::move(*found);
    } else if (inspect::host_lives(reader, run)) {
      return Status::error("not_started_yet",
                           run.run_id + " has ended and is being started again as " + next +
                               ", which is not in the journal yet; try again");
    } else {
      break;
    }
  }
  return run;
}

// A runtime with this state directory adopts the runs of a dead host, finds the request and answers
// it.
Result<std::unique_ptr<Runtime>> make_owner(const Options& options) {
  RuntimeOptions made = options.runtime;
  made.watch_files = false;
  made.work_queue = false;
  made.lazy_policy = true;
  return Runtime::create(made);
}

Result<KillRequest> request_end(const Options& options, const std::string& id) {
  const SystemClock clock;
  return inspect::request_end(options.runtime.state_dir, id, signal_word(options.signal), clock);
}

// Waits for the end of the run, and becomes its owner when it has none: also after another process
// has taken it over and ended, such as a second `gibbous kill`.
Result<RunRecord> wait_for_end(JournalReader& reader, const std::string& id, Follow& follow,
                               const Options& options) {
  const auto deadline = steady_clock::now() + kPatience;
  std::unique_ptr<Runtime> owner;
  auto next_owner = steady_clock::now();
  for (;;) {
    Result<RunRecord> run = reader.run(id);
    if (!run || inspect::has_ended(*run)) return run;
    const auto now = steady_clock::now();
    if (now >= next_owner && !inspect::host_lives(reader, *run)) {
      // Its last owner may have ended after it took the request, and before the run did.
      if (std::exchange(owner, nullptr) != nullptr) (void)request_end(options, id);
      auto made = make_owner(options);
      if (!made) return made.status();
      owner = std::move(*made);
      next_owner = now + kAdoption;
    }
    if (now > deadline) {
      return Status::error("kill_timed_out", id + " has not ended within " +
                                                 std::to_string(kPatience.count()) +
                                                 " s of the request; see 'gibbous ps'");
    }
    if (owner != nullptr) owner->wait(kNewsInterval);
    if (!follow.rest(owner != nullptr ? milliseconds{0} : kNewsInterval)) {
      return Status::error("cancelled", "interrupted; the request to end the run stands");
    }
  }
}

}  // namespace

ExitCode run_kill(const Options& options) {
  auto reader = inspect::open_journal(options.runtime.state_dir);
  if (!reader) return fail(reader.status(), options);
  Result<RunRecord> run = inspect::find_run(**reader, options.run_id);
  if (run) run = newest(**reader, std::move(*run));
  if (!run) return fail(run.status(), options);
  if (inspect::has_ended(*run)) return tell(*run, false, options);
  Result<Follow> follow = Follow::create();
  if (!follow) return fail(follow.status(), options);
  const auto asked = request_end(options, run->run_id);
  if (!asked && asked.status().code() != "run_ended") return fail(asked.status(), options);
  run = wait_for_end(**reader, run->run_id, *follow, options);
  if (!run) return fail(run.status(), options);
  return tell(*run, true, options);
}

}  // namespace gibbous::cli
