// `gibbous test`: runs specs, which are Lua files, in a runtime of their own. Each spec is a call
// of a tool that scripts/spec made of it, so that a script error, an endless loop or a wait that
// never ends fails that spec alone.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/loop.h"
#include "bindings/cli/report.h"
#include "bindings/cli/spec_files.h"
#include "bindings/cli/terminal.h"
#include "bindings/json/text.h"
#include "bindings/stdio/program_signals.h"
#include "runtime/base/duration.h"

namespace gibbous::cli {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kSpecToolsets = "specs_";
// Specs call many tools, and time that they let pass is none in which they may calculate.
constexpr std::chrono::milliseconds kSpecLuaTime = std::chrono::seconds(2);
constexpr std::size_t kSpecRuns = 64;
constexpr std::size_t kDotsOfLine = 80;

struct Spec {
  std::string tool;
  std::string name;
  std::string place;  // FILE:LINE
};

struct SpecResult {
  Spec spec;
  bool passed = false;
  std::string message;  // why not
  std::chrono::milliseconds took{0};
};

// A directory that no other process uses, and that goes with this.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::error_code ignored;
    std::string path = (fs::temp_directory_path(ignored) / "gibbous-specs-XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool has_init_file(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "init.lua", ignored);
}

// As `gibbous check`: the workspace's own scripts and policies, where it has some.
void find_own_parts(RuntimeOptions* runtime) {
  const fs::path workspace = runtime->workspace;
  if (runtime->config_file.empty() && runtime->scripts_dir.empty() &&
      has_init_file(workspace / "scripts")) {
    runtime->scripts_dir = (workspace / "scripts").string();
  }
  if (runtime->config_file.empty() && runtime->policies_dir.empty() &&
      has_init_file(workspace / "policies")) {
    runtime->policies_dir = (workspace / "policies").string();
  }
}

std::vector<Spec> wanted_specs(const Runtime& runtime, const std::string& filter) {
  std::vector<Spec> specs;
  for (const ToolInfo& tool : runtime.tools()) {
    if (!tool.toolset.starts_with(kSpecToolsets)) continue;
    if (tool.description.find(filter) == std::string::npos) continue;
    specs.push_back({tool.name, tool.description, tool.title});
  }
  return specs;
}

std::string why_failed(const CallResult& result, const Spec& spec, bool timed_out,
                       std::chrono::seconds limit) {
  if (timed_out) {
    return spec.place + ": it took longer than " + std::to_string(limit.count()) + " s";
  }
  const std::string text = result.message.empty() ? result.code : result.message;
  const bool has_place = text.find(".lua:") < text.find(": ");
  return has_place ? text : spec.place + ": " + text;
}

// Nothing when a signal came.
std::optional<SpecResult> run_one(Runtime& runtime, stdio::ProgramSignals& signals,
                                  const Spec& spec, std::chrono::seconds limit) {
  const auto begun = SteadyClock::now();
  // Shared with the callback, which comes at the end of the runtime when a signal came.
  const auto given = std::make_shared<std::optional<CallResult>>();
  std::optional<CallResult>& result = *given;
  CallRequest request;
  request.tool = spec.tool;
  request.session = spec.tool;
  const CallId call =
      runtime.call(std::move(request), [given](CallResult done) { *given = std::move(done); });
  bool timed_out = false;
  while (!result) {
    const bool more = work(runtime);
    if (result) break;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(limit - (SteadyClock::now() - begun));
    if (left.count() <= 0 && !std::exchange(timed_out, true)) (void)runtime.cancel(call);
    std::vector<pollfd> descriptors = {pollfd{signals.fd(), POLLIN, 0}};
    rest(runtime, more, descriptors, timed_out ? std::nullopt : std::optional(left));
    if (descriptors[0].revents != 0 && signals.take()) return std::nullopt;
  }
  SpecResult made;
  made.spec = spec;
  made.passed = result->ok;
  made.took = std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - begun);
  if (!made.passed) made.message = why_failed(*result, spec, timed_out, limit);
  return made;
}

void print_dot(const SpecResult& result, std::size_t number, const Terminal& terminal) {
  const std::string dot = result.passed ? "." : terminal.paint(Colour::kRed, "F");
  std::printf("%s%s", dot.c_str(), number % kDotsOfLine == 0 ? "\n" : "");
  std::fflush(stdout);
}

void print_failures(const std::vector<SpecResult>& results, std::size_t failed,
                    std::chrono::milliseconds took, const Terminal& terminal) {
  if (results.size() % kDotsOfLine != 0) std::printf("\n");
  for (const SpecResult& each : results) {
    if (each.passed) continue;
    std::printf("\n%s\n%s\n", terminal.paint(Colour::kBold, each.spec.name).c_str(),
                each.message.c_str());
  }
  const std::string verdict =
      failed == 0 ? terminal.paint(Colour::kGreen, "ok") : terminal.paint(Colour::kRed, "failed");
  std::printf("%s%s: %zu passed, %zu failed in %s\n", failed == 0 ? "" : "\n", verdict.c_str(),
              results.size() - failed, failed,
              short_duration(static_cast<double>(took.count())).c_str());
}

void print_results(const std::vector<SpecResult>& results, std::size_t failed) {
  OrderedJson list = OrderedJson::array();
  for (const SpecResult& each : results) {
    const std::size_t colon = each.spec.place.rfind(':');
    OrderedJson value = {{"name", each.spec.name},
                         {"file", each.spec.place.substr(0, colon)},
                         {"line", std::atoi(each.spec.place.c_str() + colon + 1)},
                         {"ok", each.passed},
                         {"ms", each.took.count()}};
    if (!each.passed) value["message"] = each.message;
    list.push_back(std::move(value));
  }
  std::printf("%s\n", to_text(OrderedJson{{"ok", failed == 0},
                                          {"passed", results.size() - failed},
                                          {"failed", failed},
                                          {"specs", list}})
                          .c_str());
}

ExitCode run_specs(Runtime& runtime, stdio::ProgramSignals& signals, const Options& options) {
  const std::vector<Spec> specs = wanted_specs(runtime, options.filter);
  if (specs.empty()) {
    return fail(Status::error("invalid_arguments",
                              options.filter.empty()
                                  ? "the files have no specs: it('...', function() ... end)"
                                  : "no spec's name contains '" + options.filter + "'"),
                options);
  }
  const Terminal terminal(STDOUT_FILENO);
  const auto begun = SteadyClock::now();
  std::vector<SpecResult> results;
  std::size_t failed = 0;
  for (const Spec& spec : specs) {
    std::optional<SpecResult> result =
        run_one(runtime, signals, spec, std::chrono::seconds(options.time_limit_s));
    if (!result) return fail(Status::error("cancelled", "interrupted"), options);
    failed += result->passed ? 0 : 1;
    results.push_back(std::move(*result));
    if (!options.json) print_dot(results.back(), results.size(), terminal);
  }
  if (options.json) {
    print_results(results, failed);
  } else {
    print_failures(
        results, failed,
        std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - begun),
        terminal);
  }
  return failed == 0 ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace

ExitCode run_test(const Options& options) {
  RuntimeOptions runtime_options = options.runtime;
  std::error_code ignored;
  if (runtime_options.workspace.empty()) {
    runtime_options.workspace = fs::current_path(ignored).string();
  }
  Result<std::vector<std::string>> files = find_specs(options.words, runtime_options.workspace);
  if (!files) return fail(files.status(), options);
  const ScratchDirectory scratch;
  if (scratch.path().empty()) {
    return fail(Status::error("state_dir_unusable", "no temporary directory can be made"), options);
  }
  Result<std::unique_ptr<stdio::ProgramSignals>> signals = stdio::ProgramSignals::create();
  if (!signals) return fail(signals.status(), options);
  find_own_parts(&runtime_options);
  runtime_options.spec_files = std::move(*files);
  runtime_options.state_dir = scratch.path() + "/state";
  runtime_options.watch_files = false;
  runtime_options.adopt_runs = false;
  runtime_options.lazy_policy = false;
  runtime_options.min_concurrent = kSpecRuns;
  runtime_options.lua_time = kSpecLuaTime;
  if (runtime_options.mode.empty()) runtime_options.mode = "auto";
  Result<std::unique_ptr<Runtime>> runtime = Runtime::create(std::move(runtime_options));
  if (!runtime) return fail(runtime.status(), options);
  warn_of_policy(**runtime);
  return run_specs(**runtime, **signals, options);
}

}  // namespace gibbous::cli
