// `gibbous up`: runs declared services in this process until they end or a signal stops them. The
// work is done in Lua: scripts/services/init.lua, through the tools of
// scripts/toolsets/up.lua.
#include <chrono>
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
#include "bindings/cli/terminal.h"
#include "bindings/cli/trust.h"
#include "bindings/cli/up_control.h"
#include "bindings/cli/up_view.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/json/text.h"
#include "bindings/stdio/program_signals.h"
#include "gibbous/files.h"

namespace gibbous::cli {
namespace {

// Every line of output goes through Lua, for as long as the services run.
constexpr std::chrono::milliseconds kLuaTime = std::chrono::minutes(1);
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;

struct Declared {
  Json arguments;  // of the tools up and up_stop
  std::vector<std::string> names;
};

bool is_lua(const std::string& path) {
  return std::filesystem::path(path).extension() == ".lua";
}

// `given`: the file's bytes, where they were trusted.
Result<Declared> read_services(const std::string& path, const std::optional<std::string>& given) {
  const auto text = given ? read_lua_table(path, *given) : read_lua_table(path);
  if (!text) return text.status();
  Json list = Json::parse(*text, nullptr, false);
  if (list == Json::object()) list = Json::array();  // an empty table of Lua is both
  if (!list.is_array()) {
    return Status::error("config_invalid",
                         path +
                             ": must return a list of services: return { { name = 'web', "
                             "command = 'npm start' } }");
  }
  Declared declared{{{"services", list}, {"file", path}}, {}};
  for (const Json& service : list) {
    if (service.is_object() && service.contains("name") && service["name"].is_string()) {
      declared.names.push_back(service["name"].get<std::string>());
    }
  }
  return declared;
}

// The file that declares the services when the command line names none.
Result<std::string> find_file(const RuntimeOptions& options) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path workspace =
      options.workspace.empty() ? fs::current_path(error) : fs::path(options.workspace);
  for (const char* name : {"gibbous.lua", "Procfile"}) {
    if (fs::is_regular_file(workspace / name, error)) return (workspace / name).string();
  }
  return Status::error("invalid_arguments",
                       "found neither gibbous.lua nor Procfile in " + workspace.string() +
                           "; write one, or name another file: gibbous up FILE");
}

bool is_utf8(const std::string& text) {
  const Json value = text;
  return value == Json::parse(to_text(value));
}

int first_bad_line(const std::string& text) {
  std::istringstream lines(text);
  int number = 1;
  for (std::string line; std::getline(lines, line) && is_utf8(line);) ++number;
  return number;
}

Result<Declared> read_procfile(const std::string& path, const std::optional<std::string>& given) {
  std::string text = given.value_or("");
  if (!given) {
    std::ifstream file(path);
    text.assign(std::istreambuf_iterator<char>(file), {});
    if (!file) return Status::error("config_invalid", "cannot read " + path);
  }
  if (text.size() > kMaxFileBytes) {
    return Status::error("config_invalid", path + ": expected at most 1 MiB, got " +
                                               std::to_string(text.size()) + " bytes");
  }
  if (!is_utf8(text)) {
    return Status::error("config_invalid", path + ":" + std::to_string(first_bad_line(text)) +
                                               ": expected UTF-8, got other bytes");
  }
  Declared declared{{{"procfile", text}, {"file", path}}, {}};
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // some editors begin a file with it
  std::istringstream lines(text.rfind(kMark, 0) == 0 ? text.substr(kMark.size()) : text);
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
  Json arguments = declared.arguments;  // errors name the file
  if (request.tool == "up") arguments["batches"] = true;
  request.arguments = to_text(arguments);
  return request;
}

// What other terminals ask for (gibbous restart, stop and start).
void carry_out_requests(Runtime& runtime, UpControl& control, const Declared& declared) {
  for (const ControlRequest& asked : control.take()) {
    CallRequest request;
    request.tool = "up_control";
    Json arguments = declared.arguments;
    arguments["action"] = asked.action;
    arguments["service"] = asked.service;
    request.arguments = to_text(arguments);
    runtime.call(std::move(request), [&control, id = asked.connection](const CallResult& result) {
      if (result.ok) {
        control.answer(id, {{"text", result.text}});
      } else {
        control.answer(id, {{"code", result.code}, {"message", result.message}});
      }
    });
  }
}

struct Ended {
  std::optional<CallResult> result;
  bool stopped = false;  // by a signal, or because the output is not read
  bool unread = false;   // the reader of stdout has gone
};

// The first signal, or the loss of stdout's reader, stops the services in order. A second signal
// leaves them to the keeper.
Ended look_after(Runtime& runtime, stdio::ProgramSignals& signals, UpControl* control,
                 const Declared& declared, UpView& view) {
  // Shared with the callback, which may come as late as the end of the runtime.
  const auto given = std::make_shared<Ended>();
  Ended& ended = *given;
  CallRequest request = request_for("up", declared);
  request.wants_progress = true;
  runtime.call(
      std::move(request), [given](CallResult result) { given->result = std::move(result); },
      [&view](const Progress& progress) {
        // The runtime's own words are output of services, which could look like an event.
        if (!progress.waiting) view.show(progress.message);
      });
  for (;;) {
    const bool more = work(runtime);
    if (ended.result) return ended;
    const bool unread = view.failed() && !ended.unread;
    if (!unread) {
      std::vector<pollfd> descriptors = {pollfd{signals.fd(), POLLIN, 0}};
      if (control != nullptr) control->add_descriptors(&descriptors);
      rest(runtime, more, descriptors, std::nullopt);
      if (control != nullptr) carry_out_requests(runtime, *control, declared);
      if (descriptors[0].revents == 0 || !signals.take()) continue;
      if (ended.stopped) return ended;
    }
    ended.unread = ended.unread || unread;
    if (std::exchange(ended.stopped, true)) continue;
    runtime.call(
        request_for("up_stop", declared), [](const CallResult&) {}, [](const Progress&) {});
  }
}

ExitCode exit_code_of(const Ended& ended, const Options& options) {
  if (ended.unread) return ExitCode::kFailed;
  if (ended.stopped) return ExitCode::kDone;
  const CallResult& result = *ended.result;
  if (!result.ok) {
    const bool declared_wrong = result.code == "invalid_arguments";
    const std::string code = declared_wrong ? "config_invalid" : result.code;
    return fail(Status::error(code, result.message), options);
  }
  const Json data = Json::parse(result.data, nullptr, false);
  return data.value("failed", Json::array()).empty() ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace

ExitCode run_up(const Options& options) {
  const Result<std::string> file = options.services_file.empty()
                                       ? find_file(options.runtime)
                                       : Result<std::string>(options.services_file);
  if (!file) return fail(file.status(), options);
  // A file that the command line names is the person's own word; one that is found may have come
  // with the repository.
  std::optional<std::string> text;
  if (options.services_file.empty()) {
    const TrustCandidate found = look_at_trust(*file, options.runtime.state_dir);
    if (found.files.size() != 1 || found.state == "unusable") {
      return fail(Status::error("layer_unusable", found.why), options);
    }
    if (found.state != "trusted") {
      if (const ExitCode code = ask_for_trust(found, options); code != ExitCode::kDone) return code;
    }
    text = found.files.front().text;
  }
  const auto declared = is_lua(*file) ? read_services(*file, text) : read_procfile(*file, text);
  if (!declared) return fail(declared.status(), options);
  auto signals = stdio::ProgramSignals::create();
  if (!signals) return fail(signals.status(), options);
  RuntimeOptions runtime_options = options.runtime;
  runtime_options.watch_files = false;
  runtime_options.work_queue = false;
  runtime_options.adopt_runs = false;
  runtime_options.ask_keep = std::chrono::seconds(0);  // no start comes again
  runtime_options.min_concurrent = declared->names.size();
  runtime_options.lua_time = kLuaTime;
  if (runtime_options.mode.empty()) runtime_options.mode = "auto";
  if (runtime_options.scripts_dir.empty()) {
    auto scripts = shipped_scripts("up");
    if (!scripts) return fail(scripts.status(), options);
    runtime_options.scripts_dir = std::move(*scripts);
  }
  runtime_options.session = kWorkspaceSession;
  std::error_code ignored;
  const std::string workspace = runtime_options.workspace.empty()
                                    ? std::filesystem::current_path(ignored).string()
                                    : runtime_options.workspace;
  auto control =
      UpControl::create(inspect::journal_directory(runtime_options.state_dir), workspace);
  if (!control) {
    print_error("other terminals cannot restart services of this one: " +
                control.status().message());
  }
  UpView view(declared->names, options.json);  // outlives the runtime, which tells it of progress
  auto runtime = Runtime::create(std::move(runtime_options));
  if (!runtime) return fail(runtime.status(), options);
  const Ended ended =
      look_after(**runtime, **signals, control ? control->get() : nullptr, *declared, view);
  (*runtime)->hand_over();
  tell_end_problem(**runtime);
  return exit_code_of(ended, options);
}

}  // namespace gibbous::cli
