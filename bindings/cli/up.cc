// `gibbous up`: a declared set of services, in this process, until they end or a signal ends them.
// What looks after them is Lua: scripts/services.lua, through the tools of scripts/toolsets/up.lua.
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/loop.h"
#include "bindings/cli/report.h"
#include "bindings/cli/up_view.h"
#include "bindings/json/json.h"
#include "bindings/stdio/program_signals.h"
#include "gibbous/files.h"

namespace gibbous::cli {
namespace {

struct Declared {
  Json arguments;  // of the tools
  std::vector<std::string> names;
};

bool is_lua(const std::string& path) {
  return std::filesystem::path(path).extension() == ".lua";
}

Result<Declared> read_services(const std::string& path) {
  const auto text = read_lua_table(path);
  if (!text) return text.status();
  const Json list = Json::parse(*text, nullptr, false);
  if (!list.is_array()) {
    return Status::error("config_invalid",
                         path +
                             ": must return a list of services: return { { name = 'web', "
                             "command = 'npm start' } }");
  }
  Declared declared{{{"services", list}}, {}};
  for (const Json& service : list) {
    if (service.is_object() && service.contains("name") && service["name"].is_string()) {
      declared.names.push_back(service["name"].get<std::string>());
    }
  }
  return declared;
}

Result<Declared> read_procfile(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return Status::error("config_invalid", path + ": cannot be read");
  Declared declared{{{"procfile", text}}, {}};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && line.front() != '#') {
      declared.names.push_back(line.substr(0, colon));
    }
  }
  return declared;
}

CallRequest request_for(const char* tool, const Declared& declared) {
  CallRequest request;
  request.tool = tool;
  request.arguments = declared.arguments.dump();
  return request;
}

struct Ended {
  std::optional<CallResult> result;
  bool stopped = false;  // by a signal
};

// The first signal ends the services in order, the second one leaves them to the keeper.
Ended look_after(Runtime& runtime, stdio::ProgramSignals& signals, const Declared& declared,
                 UpView& view) {
  Ended ended;
  CallRequest request = request_for("up", declared);
  request.wants_progress = true;
  runtime.call(
      std::move(request), [&ended](CallResult result) { ended.result = std::move(result); },
      [&view](const Progress& progress) { view.show(progress.message); });
  for (;;) {
    const bool more = work(runtime);
    if (ended.result) return ended;
    std::array descriptors = {pollfd{signals.fd(), POLLIN, 0}};
    rest(runtime, more, descriptors, std::nullopt);
    if (descriptors[0].revents == 0 || !signals.take()) continue;
    if (ended.stopped) return ended;
    ended.stopped = true;
    runtime.call(
        request_for("up_stop", declared), [](const CallResult&) {}, [](const Progress&) {});
  }
}

ExitCode exit_code_of(const Ended& ended, const Options& options) {
  if (ended.stopped) return ExitCode::kDone;
  const CallResult& result = *ended.result;
  if (!result.ok) return fail(Status::error(result.code, result.message), options);
  const Json data = Json::parse(result.data, nullptr, false);
  return data.value("failed", Json::array()).empty() ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace

ExitCode run_up(const Options& options) {
  const auto declared = is_lua(options.services_file) ? read_services(options.services_file)
                                                      : read_procfile(options.services_file);
  if (!declared) return fail(declared.status(), options);
  auto signals = stdio::ProgramSignals::create();
  if (!signals) return fail(signals.status(), options);
  RuntimeOptions runtime_options = options.runtime;
  runtime_options.watch_files = false;
  runtime_options.work_queue = false;
  runtime_options.adopt_runs = false;
  runtime_options.places = declared->names.size();
  if (runtime_options.mode.empty()) runtime_options.mode = "auto";
  if (runtime_options.scripts_dir.empty()) {
    auto scripts = shipped_scripts("up");
    if (!scripts) return fail(scripts.status(), options);
    runtime_options.scripts_dir = std::move(*scripts);
  }
  auto runtime = Runtime::create(std::move(runtime_options));
  if (!runtime) return fail(runtime.status(), options);
  UpView view(declared->names, options.json);
  const Ended ended = look_after(**runtime, **signals, *declared, view);
  (*runtime)->abandon();
  return exit_code_of(ended, options);
}

}  // namespace gibbous::cli
