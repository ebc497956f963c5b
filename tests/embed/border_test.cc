// No call is undefined: each method at the wrong time, in the wrong place, and what callbacks may
// do.
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/embed/border.h"

namespace gibbous {
namespace {

using testing::asking;
using testing::auto_mode;
using testing::Callback;
using testing::callbacks;
using testing::code;
using testing::Host;
using testing::in_each_callback;
using testing::options_for;
using testing::Place;
using testing::unique_word;

// What one method says when it is called here and now.
struct Method {
  const char* name;
  std::function<std::string(Runtime&)> refused;
  bool outside = false;  // it is refused inside a callback
};

// Methods that return something else are judged by that, and by check().
std::string code(const Runtime& runtime, bool is_neutral, bool outside = false) {
  const Refusal refusal = runtime.check(outside);
  return is_neutral || refusal == Refusal::kNone ? code(refusal) : "not refused";
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      {"call",
       [](Runtime& runtime) {
         return code(runtime, runtime.call({"bg_status"}, [](const CallResult&) {}) == 0);
       }},
      {"cancel", [](Runtime& runtime) { return code(runtime, !runtime.cancel(1'000'000)); }},
      {"on_event", [](Runtime& runtime) { return code(runtime.on_event([](const Event&) {})); }},
      {"on_ask", [](Runtime& runtime) { return code(runtime.on_ask([](const AskRequest&) {})); }},
      {"drain_backlog",
       [](Runtime& runtime) { return code(runtime, runtime.drain_backlog("nobody").empty()); }},
      {"drain_backlog, later",
       [](Runtime& runtime) {
         return code(runtime.drain_backlog("nobody", [](const std::vector<std::string>&) {}));
       }},
      {"list_runs",
       [](Runtime& runtime) {
         return code(runtime.list_runs("", [](const std::vector<std::string>&) {}));
       }},
      {"excerpt",
       [](Runtime& runtime) {
         const Status status = runtime.excerpt("nothing", 100).status();
         return status.code() == "run_not_found" ? std::string("none") : status.code();
       }},
      {"poll", [](Runtime& runtime) { return code(runtime, !runtime.poll(), true); }, true},
      {"wait", [](Runtime& runtime) { return code(runtime.wait(std::chrono::milliseconds(0))); },
       true},
      {"backend_fd", [](Runtime& runtime) { return code(runtime, runtime.backend_fd() == -1); }},
      {"next_timeout",
       [](Runtime& runtime) { return code(runtime, !runtime.next_timeout().has_value()); }},
      {"tools", [](Runtime& runtime) { return code(runtime, runtime.tools().empty()); }},
      {"tools_json",
       [](Runtime& runtime) {
         return code(runtime, runtime.tools_json(ToolFormat::kOpenAi) == "[]");
       }},
      {"load_policy", [](Runtime& runtime) { return code(runtime.load_policy()); }, true},
      {"reload",
       [](Runtime& runtime) {
         const ReloadResult result = runtime.reload();
         return result.ok ? std::string("none") : result.message;
       },
       true},
      {"add_tool",
       [](Runtime& runtime) {
         const Status status = runtime.add_tool(HostTool{});
         return status.code() == "invalid_arguments" ? std::string("none") : status.code();
       },
       true},
      {"remove_tool",
       [](Runtime& runtime) {
         const Status status = runtime.remove_tool("nothing");
         return status.code() == "tool_not_found" ? std::string("none") : status.code();
       },
       true},
      {"generation", [](Runtime& runtime) { return code(runtime, runtime.generation() == 0); }},
      {"session", [](Runtime& runtime) { return code(runtime, runtime.session().empty()); }},
      {"policy_error",
       [](Runtime& runtime) { return code(runtime, runtime.policy_error().empty()); }},
      {"mode", [](Runtime& runtime) { return code(runtime, runtime.mode().empty()); }},
      {"announce_end", [](Runtime& runtime) { return code(runtime.announce_end()); }},
      {"post", [](Runtime& runtime) { return code(runtime.post([] {})); }},
  };
  return all;
}

// The methods that end a runtime.
const std::vector<Method>& ends() {
  static const std::vector<Method> all = {
      {"close", [](Runtime& runtime) { return code(runtime.close(nullptr)); }},
      {"hand_over", [](Runtime& runtime) { return code(runtime.hand_over()); }},
  };
  return all;
}

void check_all(Runtime& runtime, const std::string& expected, bool with_ends = true) {
  for (const Method& method : methods()) {
    INFO(method.name);
    CHECK(method.refused(runtime) == expected);
  }
  if (!with_ends) return;
  for (const Method& method : ends()) {
    INFO(method.name);
    CHECK(method.refused(runtime) == expected);
  }
}

TEST_CASE("border: each method works in its place") {
  Place place(false);
  for (const Method& method : methods()) {
    INFO(method.name);
    CHECK(method.refused(*place.runtime) == "none");
  }
}

TEST_CASE("border: each method inside a callback is carried out, or refused as reentrant") {
  in_each_callback(
      [](Place&, const auto&) {},
      [](Place& place) {
        for (const Method& method : methods()) {
          INFO(method.name);
          const bool own = place.runtime->backend_fd() >= 0;
          CHECK(own);
          CHECK(method.refused(*place.runtime) == (method.outside ? "reentrant" : "none"));
        }
      });
}

TEST_CASE("border: each method after close() says closed") {
  for (const bool borrowed : {false, true}) {
    DYNAMIC_SECTION((borrowed ? "borrowed loop" : "own loop")) {
      Place place(borrowed);
      bool closed = false;
      CHECK(place.runtime->close([&] { closed = true; }) == Refusal::kNone);
      for (const auto* each : {&methods(), &ends()}) {
        for (const Method& method : *each) {
          INFO(method.name);
          // These go on until everything is closed.
          const std::string name = method.name;
          const bool turns =
              name == "poll" || name == "wait" || name == "backend_fd" || name == "next_timeout";
          if (!turns) CHECK(method.refused(*place.runtime) == "closed");
        }
      }
      CHECK(place.until([&] { return closed; }));
      check_all(*place.runtime, "closed");
    }
  }
}

TEST_CASE("border: each method on another thread is refused, and the runtime works on") {
  Host host(auto_mode());
  const std::string id = host.start("exec sleep 600");
  std::map<std::string, std::string> said;
  std::thread([&] {
    for (const auto* each : {&methods(), &ends()}) {
      for (const Method& method : *each) said[method.name] = method.refused(*host.runtime);
    }
  }).join();
  for (const auto& [name, refusal] : said) {
    INFO(name);
    CHECK(refusal == (name == "post" ? "none" : "wrong_thread"));
  }
  CHECK(host.call("bg_status", {{"id", id}}).text.find("running") != std::string::npos);
}

// What a forked child found, as a text over a pipe. It ends without destructors.
std::string in_child(const std::function<std::string()>& body) {
  int ends_of_pipe[2];
  REQUIRE(::pipe(ends_of_pipe) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = body();
    (void)!::write(ends_of_pipe[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends_of_pipe[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(ends_of_pipe[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends_of_pipe[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  return text;
}

TEST_CASE("border: each method in a forked child is refused") {
  Host host(auto_mode());
  const std::string found = in_child([&] {
    std::string wrong;
    for (const auto* each : {&methods(), &ends()}) {
      for (const Method& method : *each) {
        const std::string said = method.refused(*host.runtime);
        if (said != "forked") wrong += std::string(method.name) + ": " + said + "\n";
      }
    }
    return wrong;
  });
  CHECK(found.empty());
  CHECK(host.call("bg_status", Json::object()).ok);
}

TEST_CASE("border: a child of a process with a runtime is refused one of its own") {
  Host host(auto_mode());
  const std::string code_in_child = in_child([] {
    auto made = Runtime::create(auto_mode());
    return made ? std::string("made") : made.status().code();
  });
  CHECK(code_in_child == "forked");
  CHECK(host.call("bg_status", Json::object()).ok);
}

TEST_CASE("border: a forked child that destroys the runtime disturbs nothing") {
  Host host(auto_mode());
  const std::string word = unique_word();
  const std::string id = host.start("exec sleep 600 # " + word);
  CHECK(in_child([&] {
          host.runtime.reset();
          return std::string("destroyed");
        }) == "destroyed");
  CHECK(host.call("bg_status", {{"id", id}}).text.find("running") != std::string::npos);
  host.data("bg_kill", {{"id", id}});
}

TEST_CASE("border: a runtime destroyed on another thread is left as it is") {
  Place place(false);
  std::thread([&] { place.runtime.reset(); }).join();
  CHECK(place.runtime == nullptr);
}

TEST_CASE("border: what a callback throws is an event, and nothing else ends") {
  for (const bool borrowed : {false, true}) {
    for (const Callback& callback : callbacks()) {
      DYNAMIC_SECTION(callback.name << (borrowed ? ", borrowed loop" : ", own loop")) {
        Place place(borrowed, options_for(callback));
        std::string told;
        bool ran = false;
        const bool is_event = std::string(callback.name) == "on_event";
        if (!is_event) {
          place.runtime->on_event([&](const Event& event) {
            if (event.name == "host_error") told = event.json;
          });
        }
        callback.arrange(*place.runtime, [&] {
          ran = true;
          throw std::runtime_error("thrown by a host");
        });
        CHECK(place.until([&] { return ran && (is_event || !told.empty()); }));
        if (!is_event) CHECK(told.find("thrown by a host") != std::string::npos);
        bool answered = false;
        place.runtime->call({"bg_status"}, [&](const CallResult& result) {
          answered = result.ok;
          throw 7;
        });
        CHECK(place.until([&] { return answered; }));
      }
    }
  }
}

TEST_CASE("border: handlers may be replaced from inside themselves") {
  Host host(asking());
  int first = 0;
  int second = 0;
  const std::string kept(100, 'x');  // on the heap, in the handler
  host.runtime->on_event([&, kept](const Event&) {
    host.runtime->on_event([&](const Event&) { ++second; });
    first += static_cast<int>(kept.size());
  });
  host.runtime->on_ask([&, kept](const AskRequest& request) {
    host.runtime->on_ask(nullptr);
    request.answer(true, kept);
  });
  CHECK(host.call("bg_start", {{"command", "rm -rf build/none"}}).ok);
  CHECK(host.until([&] { return second > 0; }));
  CHECK(first == 100);
}

TEST_CASE("border: work posted by other threads runs on the runtime's thread, in order") {
  for (const bool borrowed : {false, true}) {
    DYNAMIC_SECTION((borrowed ? "borrowed loop" : "own loop")) {
      Place place(borrowed);
      std::vector<int> ran;
      bool elsewhere = false;
      int refused = 0;  // the assertions are for one thread
      const std::thread::id here = std::this_thread::get_id();
      std::thread poster([&] {
        for (int i = 0; i < 100; ++i) {
          const Refusal refusal = place.runtime->post([&, i] {
            elsewhere |= std::this_thread::get_id() != here;
            ran.push_back(i);
          });
          refused += refusal == Refusal::kNone ? 0 : 1;
        }
      });
      CHECK(place.until([&] { return ran.size() == 100; }));
      poster.join();
      CHECK(refused == 0);
      CHECK_FALSE(elsewhere);
      CHECK(std::is_sorted(ran.begin(), ran.end()));
    }
  }
}

TEST_CASE("border: threads may post while the runtime closes") {
  Place place(false);
  std::atomic<bool> stop{false};
  std::vector<std::thread> posters;
  for (int i = 0; i < 4; ++i) {
    posters.emplace_back([&] {
      while (!stop) (void)place.runtime->post([] {});
    });
  }
  bool closed = false;
  place.runtime->close([&] { closed = true; });
  CHECK(place.until([&] { return closed; }));
  CHECK(place.runtime->post([] {}) == Refusal::kClosed);
  stop = true;
  for (std::thread& poster : posters) poster.join();
}

TEST_CASE("border: a question may be answered late, elsewhere or never") {
  Place place(false, asking());
  std::optional<AskRequest> asked;
  std::optional<CallResult> answer;
  place.runtime->on_ask([&](AskRequest request) { asked = std::move(request); });
  place.runtime->call({"bg_start", R"({"command":"rm -rf build/none"})"},
                      [&](CallResult result) { answer = std::move(result); });
  REQUIRE(place.until([&] { return asked.has_value(); }));
  SECTION("on another thread, which does nothing, and then here") {
    std::thread([&] { asked->answer(true, ""); }).join();
    bool later = false;
    place.runtime->call({"bg_status"}, [&](const CallResult&) { later = true; });
    CHECK(place.until([&] { return later; }));
    CHECK_FALSE(answer.has_value());
    asked->answer(true, "");
    CHECK(place.until([&] { return answer.has_value(); }));
    CHECK(answer->ok);
  }
  SECTION("dropped here, which denies") {
    asked.reset();
    CHECK(place.until([&] { return answer.has_value(); }));
    CHECK(answer->code == "denied");
  }
  SECTION("dropped on another thread, which leaves it open until the runtime ends") {
    std::thread([&] { asked.reset(); }).join();
    bool closed = false;
    place.runtime->close([&] { closed = true; });
    CHECK(place.until([&] { return closed; }));
    REQUIRE(answer.has_value());
    CHECK_FALSE(answer->ok);
  }
  SECTION("after close()") {
    bool closed = false;
    place.runtime->close([&] { closed = true; });
    asked->answer(true, "");
    CHECK(place.until([&] { return closed; }));
    asked->answer(true, "");
    REQUIRE(answer.has_value());
    CHECK_FALSE(answer->ok);
  }
  SECTION("after the runtime is gone") {
    place.runtime.reset();
    asked->answer(true, "");
    asked.reset();
    REQUIRE(answer.has_value());
  }
}

}  // namespace
}  // namespace gibbous
