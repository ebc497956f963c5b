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

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::auto_mode;
using testing::Host;
using testing::processes_with;
using testing::unique_word;

// What one method says when it is called here and now.
struct Method {
  const char* name;
  std::function<std::string(Runtime&)> refused;
  bool outside = false;  // it is refused inside a callback
};

std::string code(Refusal refusal) {
  return to_string(refusal);
}

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
      {"on_event", [](Runtime& runtime) { return code(runtime.on_event(nullptr)); }},
      {"on_ask", [](Runtime& runtime) { return code(runtime.on_ask(nullptr)); }},
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

// A runtime with its own loop or on a borrowed one, and a way to turn it.
class Place {
 public:
  explicit Place(bool borrowed, RuntimeOptions options = auto_mode()) {
    if (borrowed) options.loop = loop_.get();
    auto made = Runtime::create(std::move(options));
    if (!made) FAIL(made.status().message());
    runtime = std::move(*made);
    borrowed_ = borrowed;
  }
  // Runs until `done`, also when the runtime is deleted in the middle.
  bool until(const std::function<bool()>& done) {
    if (borrowed_) return loop_.until(done);
    const auto end = std::chrono::steady_clock::now() + testing::kPatience;
    while (!done() && runtime != nullptr && std::chrono::steady_clock::now() < end) {
      runtime->wait(std::chrono::milliseconds(5));
    }
    return done();
  }

 private:
  testing::Loop loop_;  // its end aborts when a handle was forgotten
  bool borrowed_ = false;

 public:
  std::unique_ptr<Runtime> runtime;
};

// Makes the runtime call each callback of a host once, and runs `inside` there.
struct Callback {
  const char* name;
  const char* mode;
  std::function<void(Runtime&, std::function<void()> inside)> arrange;
};

RuntimeOptions asking() {
  RuntimeOptions options = auto_mode();
  options.mode = "default";
  return options;
}

const std::vector<Callback>& callbacks() {
  static const std::vector<Callback> all = {
      {"on_done", "auto",
       [](Runtime& runtime, const std::function<void()>& inside) {
         runtime.call({"bg_status"}, [inside](const CallResult&) { inside(); });
       }},
      {"on_progress", "auto",
       [](Runtime& runtime, const std::function<void()>& inside) {
         CallRequest request{"report"};
         request.wants_progress = true;
         runtime.call(
             std::move(request), [](const CallResult&) {},
             [inside, once = std::make_shared<bool>(true)](const Progress&) {
               if (std::exchange(*once, false)) inside();
             });
       }},
      {"on_event", "auto",
       [](Runtime& runtime, const std::function<void()>& inside) {
         runtime.on_event([inside, once = std::make_shared<bool>(true)](const Event& event) {
           if (event.name == "run_started" && std::exchange(*once, false)) inside();
         });
         runtime.call({"bg_start", R"({"command":"true"})"}, [](const CallResult&) {});
       }},
      {"on_ask", "default",
       [](Runtime& runtime, const std::function<void()>& inside) {
         runtime.on_ask([inside, once = std::make_shared<bool>(true)](const AskRequest&) {
           if (std::exchange(*once, false)) inside();
         });
         runtime.call({"bg_start", R"({"command":"rm -rf build"})"}, [](const CallResult&) {});
       }},
      {"drain_backlog", "auto",
       [](Runtime& runtime, const std::function<void()>& inside) {
         runtime.drain_backlog("", [inside](const std::vector<std::string>&) { inside(); });
       }},
      {"list_runs", "auto",
       [](Runtime& runtime, const std::function<void()>& inside) {
         runtime.list_runs("", [inside](const std::vector<std::string>&) { inside(); });
       }},
      {"post", "auto",
       [](Runtime& runtime, const std::function<void()>& inside) { runtime.post(inside); }},
  };
  return all;
}

RuntimeOptions options_for(const Callback& callback) {
  RuntimeOptions options = auto_mode();
  options.mode = callback.mode;
  static const testing::TempDir scripts;
  scripts.write("init.lua", R"lua(
    local report = tool {
      name = 'report', description = 'Reports progress.', permission = 'read',
      run = function() tool.progress(1, 2, 'half') return 'done' end,
    }
    return { toolsets = { require 'toolsets.bg', require 'toolsets.wait',
                          { name = 'own', tools = { report } } } }
  )lua");
  options.scripts_dir = scripts.path();
  return options;
}

// Calls `test` in each callback of a runtime with its own loop, and on a borrowed one.
void in_each_callback(const std::function<void(Place&, const std::function<bool()>& ran)>& after,
                      const std::function<void(Place&)>& inside) {
  for (const bool borrowed : {false, true}) {
    for (const Callback& callback : callbacks()) {
      DYNAMIC_SECTION(callback.name << (borrowed ? ", borrowed loop" : ", own loop")) {
        Place place(borrowed, options_for(callback));
        bool ran = false;
        callback.arrange(*place.runtime, [&] {
          ran = true;
          inside(place);
        });
        CHECK(place.until([&] { return ran; }));
        after(place, [&] { return ran; });
      }
    }
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

TEST_CASE("border: close() inside a callback comes after it, and answers every call") {
  int answers = 0;
  bool closed = false;
  std::string said;
  in_each_callback(
      [&](Place& place, const auto&) {
        CHECK(place.until([&] { return closed; }));
        CHECK(answers == 1);
        CHECK(said == "closed");
        answers = 0;
        closed = false;
      },
      [&](Place& place) {
        place.runtime->call({"wait_for", R"({"port":1,"timeout":600})"},
                            [&](const CallResult&) { ++answers; });
        CHECK(place.runtime->close([&] { closed = true; }) == Refusal::kNone);
        CHECK_FALSE(closed);
        said = code(place.runtime->close(nullptr));
      });
}

TEST_CASE("border: a runtime deleted inside a callback ends after it, and answers every call") {
  int answers = 0;
  in_each_callback(
      [&](Place& place, const auto&) {
        CHECK(place.runtime == nullptr);
        CHECK(place.until([&] { return answers == 1; }));
        answers = 0;
      },
      [&](Place& place) {
        place.runtime->call({"wait_for", R"({"port":1,"timeout":600})"},
                            [&](const CallResult&) { ++answers; });
        place.runtime.reset();
      });
}

TEST_CASE("border: a runtime may be deleted while it closes, and in on_closed") {
  for (const bool borrowed : {false, true}) {
    DYNAMIC_SECTION((borrowed ? "borrowed loop" : "own loop")) {
      Place place(borrowed);
      bool closed = false;
      SECTION("in on_closed") {
        place.runtime->close([&] {
          closed = true;
          place.runtime.reset();
        });
      }
      SECTION("before") {
        place.runtime->close([&] { closed = true; });
        place.runtime.reset();
      }
      CHECK(place.until([&] { return closed; }));
      CHECK(place.runtime == nullptr);
    }
  }
}

TEST_CASE("border: a runtime on a borrowed loop may be destroyed without close()") {
  const std::string word = unique_word();
  testing::Loop loop;
  {
    RuntimeOptions options = auto_mode();
    options.loop = loop.get();
    auto runtime = Runtime::create(options);
    REQUIRE(runtime.ok());
    bool started = false;
    (*runtime)->call({"bg_start", R"({"command":"exec sleep 600 # )" + word + R"("})"},
                     [&](const CallResult&) { started = true; });
    REQUIRE(loop.until([&] { return started; }));
  }
  CHECK(loop.until([&] { return processes_with(word).empty(); }));
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
      const std::thread::id here = std::this_thread::get_id();
      std::thread poster([&] {
        for (int i = 0; i < 100; ++i) {
          CHECK(place.runtime->post([&, i] {
            elsewhere |= std::this_thread::get_id() != here;
            ran.push_back(i);
          }) == Refusal::kNone);
        }
      });
      CHECK(place.until([&] { return ran.size() == 100; }));
      poster.join();
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
