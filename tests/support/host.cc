// See host.h. Compiled into tests that link gibbous_host.
#include "tests/support/host.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "runtime/base/random_id.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

RuntimeOptions auto_mode() {
  RuntimeOptions options;
  options.mode = "auto";
  options.watch_files = false;
  return options;
}

RuntimeOptions with_shell() {
  RuntimeOptions options = auto_mode();
  options.toolsets = {"bg", "wait", "shell"};
  return options;
}

#ifdef GIBBOUS_SANITIZED
namespace {

// Computing takes many times as long, and the budget of a call is meant for a plain build. A test
// of that budget configures it.
bool has_own_budget(const RuntimeOptions& options) {
  const auto given = options.files.find("config.lua");
  std::string text = given != options.files.end() ? given->second : "";
  if (!options.config_file.empty()) {
    std::ifstream file(options.config_file);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return options.lua_time != std::chrono::milliseconds{0} ||
         text.find("call_ms") != std::string::npos;
}

}  // namespace
#endif

Host::Host(RuntimeOptions options) {
#ifdef GIBBOUS_SANITIZED
  if (!has_own_budget(options)) options.lua_time = std::chrono::seconds(5);
#endif
  auto created = Runtime::create(std::move(options));
  if (!created) {
    std::fprintf(stderr, "%s\n", created.status().message().c_str());
    std::abort();
  }
  runtime = std::move(created.value());
  runtime->on_event([this](const Event& event) { events.push_back(event); });
}

bool Host::until(const std::function<bool()>& done) {
  constexpr std::chrono::milliseconds kTick{5};
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    runtime->wait(kTick);
  }
  return true;
}

CallResult Host::call(const std::string& tool, const Json& arguments, const std::string& session) {
  bool done = false;
  CallResult answer;
  runtime->call({tool, arguments.dump(), session}, [&](CallResult result) {
    answer = std::move(result);
    done = true;
  });
  if (done || !until([&] { return done; })) std::abort();
  return answer;
}

Json Host::data(const std::string& tool, const Json& arguments, const std::string& session) {
  const CallResult result = call(tool, arguments, session);
  if (!result.ok) {
    std::fprintf(stderr, "%s: %s: %s\n", tool.c_str(), result.code.c_str(), result.message.c_str());
    std::abort();
  }
  return Json::parse(result.data);
}

std::string Host::start(const std::string& command) {
  return data("bg_start", {{"command", command}})["id"].get<std::string>();
}

bool Host::saw_event(const std::string& name) const {
  for (const Event& event : events) {
    if (event.name == name) return true;
  }
  return false;
}

std::vector<int> processes_with(const std::string& part) {
  std::vector<int> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == ::getpid()) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (text.str().find(part) != std::string::npos) found.push_back(pid);
  }
  return found;
}

std::string unique_word() {
  return "w" + std::to_string(random_bits());
}

}  // namespace gibbous::testing
