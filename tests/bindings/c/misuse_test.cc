// No call of the C interface is undefined: each function, wrongly used in each way, returns a code
// and changes nothing.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/bindings/c/host.h"

namespace gibbous {
namespace {

using testing::CHost;

// A function of the interface with good arguments, and what it returns as a number; for a pointer,
// 0 or 1. Those that return no code are described by what they return when they are refused.
struct Function {
  const char* name;
  std::function<std::int64_t(gib_runtime*)> call;
  std::int64_t refused = 1;  // 1: a code
  bool closes = false;       // works until the end of a closed runtime
};

constexpr std::int64_t kNothing = 0;
constexpr std::int64_t kNever = -1;

std::vector<Function> functions() {
  static char buffer[8];
  static std::uint64_t cursor = 0;
  static gib_message message;
  message.size = sizeof message;
  return {
      {"gib_check", [](gib_runtime* r) { return std::int64_t{gib_check(r)}; }},
      {"gib_call", [](gib_runtime* r) { return gib_call(r, R"({"tool":"bg_status"})"); }},
      {"gib_cancel", [](gib_runtime* r) { return std::int64_t{gib_cancel(r, 99)}; }},
      {"gib_poll", [](gib_runtime* r) { return std::int64_t{gib_poll(r, nullptr)}; }, 1, true},
      {"gib_wait", [](gib_runtime* r) { return std::int64_t{gib_wait(r, 0)}; }, 1, true},
      {"gib_fd", [](gib_runtime* r) { return std::int64_t{gib_fd(r)}; }, kNever, true},
      {"gib_next_timeout", [](gib_runtime* r) { return gib_next_timeout(r); }, kNever, true},
      {"gib_next", [](gib_runtime* r) { return std::int64_t{gib_next(r, &message)}; }, 1, true},
      {"gib_reply", [](gib_runtime* r) { return std::int64_t{gib_reply(r, 99, "{}")}; }},
      {"gib_progress", [](gib_runtime* r) { return std::int64_t{gib_progress(r, 99, "{}")}; }},
      {"gib_tool_add",
       [](gib_runtime* r) { return std::int64_t{gib_tool_add(r, R"({"name":"bg_start"})")}; }},
      {"gib_tool_remove", [](gib_runtime* r) { return std::int64_t{gib_tool_remove(r, "none")}; }},
      {"gib_function_add",
       [](gib_runtime* r) { return std::int64_t{gib_function_add(r, R"({"name":"-"})")}; }},
      {"gib_function_remove",
       [](gib_runtime* r) { return std::int64_t{gib_function_remove(r, "none")}; }},
      {"gib_tools", [](gib_runtime* r) { return std::int64_t{gib_tools(r, "mcp") != nullptr}; },
       kNothing},
      {"gib_runs", [](gib_runtime* r) { return gib_runs(r, nullptr); }},
      {"gib_backlog", [](gib_runtime* r) { return gib_backlog(r, nullptr); }},
      {"gib_read",
       [](gib_runtime* r) {
         return gib_read(r, "none", 1, &cursor, buffer, sizeof buffer, nullptr);
       }},
      {"gib_reload", [](gib_runtime* r) { return std::int64_t{gib_reload(r)}; }},
      {"gib_info", [](gib_runtime* r) { return std::int64_t{gib_info(r) != nullptr}; }, kNothing},
      {"gib_post", [](gib_runtime* r) { return std::int64_t{gib_post(r, "{}")}; }},
      {"gib_close", [](gib_runtime* r) { return std::int64_t{gib_close(r)}; }},
      {"gib_hand_over", [](gib_runtime* r) { return std::int64_t{gib_hand_over(r)}; }},
      {"gib_destroy", [](gib_runtime* r) { return std::int64_t{gib_destroy(r)}; }},
  };
}

// Checks that every function is refused with this code; but those that may be called.
void check_refused(gib_runtime* runtime, int code, const std::string& but = "") {
  for (const Function& function : functions()) {
    if (but.find(function.name) != std::string::npos) continue;
    INFO(function.name);
    CHECK(function.call(runtime) ==
          (function.refused == 1 ? std::int64_t{code} : function.refused));
  }
}

TEST_CASE("c: every function refuses NULL, and a handle that was never one") {
  check_refused(nullptr, GIB_INVALID);
  int foreign = 0;
  check_refused(reinterpret_cast<gib_runtime*>(&foreign), GIB_CLOSED);
  CHECK(std::strlen(gib_error(nullptr)) > 0);
}

TEST_CASE(
    "c: every function refuses a handle that was destroyed, also when another took its place") {
  CHost first;
  gib_runtime* gone = first.runtime;
  CHECK(gib_destroy(gone) == GIB_OK);
  check_refused(gone, GIB_CLOSED);
  CHECK(std::string(gib_error(gone)) == "the runtime was destroyed");
  CHost second;
  CHECK(second.runtime != gone);
  check_refused(gone, GIB_CLOSED);
  CHECK(gib_check(second.runtime) == GIB_OK);
}

TEST_CASE("c: every function but gib_post is refused on another thread") {
  CHost host;
  std::thread([&] { check_refused(host.runtime, GIB_WRONG_THREAD, "gib_post"); }).join();
  CHECK(host.call({{"tool", "bg_status"}})["ok"] == true);
}

TEST_CASE("c: every function is refused in a forked child, and the parent goes on") {
  CHost host;
  const pid_t child = ::fork();
  if (child == 0) {
    int wrong = 0;
    for (const Function& function : functions()) {
      const std::int64_t got = function.call(host.runtime);
      wrong += got == (function.refused == 1 ? std::int64_t{GIB_FORKED} : function.refused) ? 0 : 1;
    }
    ::_exit(wrong);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(host.call({{"tool", "bg_status"}})["ok"] == true);
}

TEST_CASE("c: after gib_close every function is refused but those that finish it") {
  CHost host;
  REQUIRE(gib_close(host.runtime) == GIB_OK);
  for (const Function& function : functions()) {
    if (std::string(function.name) == "gib_destroy") continue;
    INFO(function.name);
    const std::int64_t got = function.call(host.runtime);
    if (function.closes) {
      CHECK(got != GIB_INVALID);
    } else {
      CHECK(got == (function.refused == 1 ? std::int64_t{GIB_CLOSED} : function.refused));
    }
  }
  CHECK(gib_destroy(host.runtime) == GIB_OK);
}

TEST_CASE("c: wrong arguments are refused, and the error names them") {
  CHost host;
  const auto said = [&] { return std::string(gib_error(host.runtime)); };
  const auto refuses = [&](std::int64_t got, const std::string& words) {
    INFO(words);
    CHECK(got == GIB_INVALID);
    CHECK_THAT(said(), Catch::Matchers::Contains(words));
  };
  refuses(gib_call(host.runtime, nullptr), "request");
  refuses(gib_call(host.runtime, "["), "request");
  refuses(gib_call(host.runtime, "[]"), "request");
  refuses(gib_call(host.runtime, "{}"), "request.tool");
  refuses(gib_call(host.runtime, R"({"tool":"x","argument":{}})"), "'arguments'");
  refuses(gib_call(host.runtime, R"({"tool":"x","arguments":[]})"), "request.arguments");
  refuses(gib_call(host.runtime, R"({"tool":"x","timeout_ms":-1})"), "request.timeout_ms");
  refuses(gib_call(host.runtime, R"({"tool":"x","priority":101})"), "request.priority");
  refuses(gib_call(host.runtime, (R"({"tool":"x","arguments":)" + std::string(100, '[')).c_str()),
          "64 levels");
  refuses(gib_wait(host.runtime, -1), "ms");
  refuses(gib_next(host.runtime, nullptr), "message");
  gib_message old = {};
  refuses(gib_next(host.runtime, &old), "message");
  gib_budget none = {};
  refuses(gib_poll(host.runtime, &none), "budget");
  CHECK(gib_tools(host.runtime, "xml") == nullptr);
  CHECK_THAT(said(), Catch::Matchers::Contains("format"));
  CHECK(gib_call(host.runtime, R"({"tool":"bg_status"})") > 0);
  CHECK(said().empty());
}

TEST_CASE("c: a runtime that cannot be made says why, and there is no handle") {
  char error[200];
  const auto refuses = [&](const char* options, const std::string& words) {
    INFO(options);
    CHECK(gib_create(options, error, sizeof error) == nullptr);
    CHECK_THAT(std::string(error), Catch::Matchers::Contains(words));
  };
  refuses("{", "options");
  refuses(R"({"mod":"auto"})", "'mode'");
  refuses(R"({"workspace":"/no/such/place"})", "workspace");
  refuses(R"({"scripts_dir":"/no/such/place"})", "/no/such/place");
  refuses(R"({"share_dir":"/no/such/place"})", "share_dir");
  refuses(R"({"secrets":{"A":1}})", "options.secrets.A");
  refuses(R"({"files":{"scripts/init.lua":1}})", "options.files.scripts/init.lua");
  refuses(R"({"files":{"init.lua":""}})", "files: expected names below scripts/");
  refuses(R"({"tools":[{"name":1}]})", "options.tools[0].name");
  refuses(R"({"functions":{}})", "options.functions");
  char tiny[4] = "abc";
  CHECK(gib_create("{", tiny, sizeof tiny) == nullptr);
  CHECK(std::strlen(tiny) == 3);
  CHECK(gib_create("{", nullptr, 0) == nullptr);
}

TEST_CASE("c: the library says which interface it has") {
  CHECK(gib_abi() == GIB_ABI);
  CHECK(std::strlen(gib_version()) > 0);
  CHECK(gib_has("tools") == 1);
  CHECK(gib_has("magic") == 0);
  CHECK(gib_has(nullptr) == 0);
}

}  // namespace
}  // namespace gibbous
