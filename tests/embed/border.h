// A runtime with its own loop or on a borrowed one, and the callbacks of a host, for tests of what
// may happen in each of them.
#pragma once

#include <uv.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

inline std::string code(Refusal refusal) {
  return to_string(refusal);
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
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!done() && runtime != nullptr && std::chrono::steady_clock::now() < end) {
      runtime->wait(std::chrono::milliseconds(5));
    }
    return done();
  }

 private:
  Loop loop_;  // its end aborts when a handle was forgotten
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

inline RuntimeOptions asking() {
  RuntimeOptions options = auto_mode();
  options.mode = "default";
  return options;
}

inline const std::vector<Callback>& callbacks() {
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
         runtime.call({"bg_start", R"({"command":"rm -rf build/none"})"}, [](const CallResult&) {});
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

inline RuntimeOptions options_for(const Callback& callback) {
  RuntimeOptions options = auto_mode();
  options.mode = callback.mode;
  static const TempDir scripts;
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
inline void in_each_callback(
    const std::function<void(Place&, const std::function<bool()>& ran)>& after,
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

}  // namespace gibbous::testing
