// How a runtime may end: closed or deleted inside any callback, or while it closes already.
#include <uv.h>

#include <chrono>
#include <memory>
#include <string>

#include "tests/embed/border.h"

namespace gibbous {
namespace {

using testing::auto_mode;
using testing::code;
using testing::in_each_callback;
using testing::Place;
using testing::processes_with;
using testing::unique_word;

TEST_CASE("end: close() inside a callback comes after it, and answers every call") {
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
        place.runtime->call({"wait_for", R"({"port":1,"timeout":600000})"},
                            [&](const CallResult&) { ++answers; });
        CHECK(place.runtime->close([&] { closed = true; }) == Refusal::kNone);
        CHECK_FALSE(closed);
        said = code(place.runtime->close(nullptr));
      });
}

TEST_CASE("end: a runtime deleted inside a callback ends after it, and answers every call") {
  int answers = 0;
  in_each_callback(
      [&](Place& place, const auto&) {
        CHECK(place.runtime == nullptr);
        CHECK(place.until([&] { return answers == 1; }));
        answers = 0;
      },
      [&](Place& place) {
        place.runtime->call({"wait_for", R"({"port":1,"timeout":600000})"},
                            [&](const CallResult&) { ++answers; });
        place.runtime.reset();
      });
}

TEST_CASE("end: a borrowed loop that runs until it ends finishes a close() of the last callback") {
  for (const bool deletes : {false, true}) {
    DYNAMIC_SECTION((deletes ? "deleted" : "closed")) {
      uv_loop_t loop;
      REQUIRE(uv_loop_init(&loop) == 0);
      RuntimeOptions options = auto_mode();
      options.loop = &loop;
      auto made = Runtime::create(options);
      REQUIRE(made.ok());
      std::unique_ptr<Runtime> runtime = std::move(*made);
      bool closed = false;
      runtime->call({"bg_status"}, [&](const CallResult&) {
        if (deletes) {
          runtime.reset();
        } else {
          runtime->close([&] { closed = true; });
        }
      });
      CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
      CHECK(closed != deletes);
      runtime.reset();
      CHECK(uv_loop_close(&loop) == 0);
    }
  }
}

// What a host that owns its runtime may capture in a callback: the last reference to itself.
struct Owner : std::enable_shared_from_this<Owner> {
  explicit Owner(bool& gone) : gone_(gone) {}
  ~Owner() { gone_ = true; }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  std::unique_ptr<Runtime> runtime;

 private:
  bool& gone_;
};

TEST_CASE("end: what a callback captured may end the runtime when it is dropped") {
  for (const bool borrowed : {false, true}) {
    for (const bool is_event : {false, true}) {
      DYNAMIC_SECTION((borrowed ? "borrowed loop" : "own loop")
                      << (is_event ? ", on_event" : ", on_done")) {
        Place place(borrowed);
        bool gone = false;
        auto owner = std::make_shared<Owner>(gone);
        Runtime* const runtime = place.runtime.get();
        owner->runtime = std::move(place.runtime);
        if (is_event) {
          runtime->on_event([kept = owner](const Event& event) {
            if (event.name == "run_started") kept->runtime->on_event(nullptr);
          });
          runtime->call({"bg_start", R"({"command":"true"})"}, nullptr);
        } else {
          runtime->call({"bg_status"}, [kept = std::move(owner)](const CallResult&) {});
        }
        owner.reset();
        const auto end = std::chrono::steady_clock::now() + testing::kPatience;
        while (!borrowed && !gone && std::chrono::steady_clock::now() < end) {
          runtime->wait(std::chrono::milliseconds(5));
        }
        if (borrowed) CHECK(place.until([&] { return gone; }));
        CHECK(gone);
      }
    }
  }
}

TEST_CASE("end: a runtime may be deleted by the answers that close() gives") {
  for (const bool borrowed : {false, true}) {
    DYNAMIC_SECTION((borrowed ? "borrowed loop" : "own loop")) {
      Place place(borrowed);
      bool closed = false;
      bool waits = false;
      place.runtime->call({"wait_for", R"({"port":1,"timeout":600000})"},
                          [&](const CallResult&) { place.runtime.reset(); });
      place.runtime->call({"bg_status"}, [&](const CallResult&) { waits = true; });
      REQUIRE(place.until([&] { return waits; }));
      place.runtime->close([&] { closed = true; });
      CHECK(place.runtime == nullptr);
      CHECK(place.until([&] { return closed; }));
    }
  }
}

TEST_CASE("end: a host may take its handlers back after the end, and close what it handed over") {
  Place place(true);
  int events = 0;
  place.runtime->on_event([&](const Event&) { ++events; });
  CHECK(place.runtime->hand_over() == Refusal::kNone);
  CHECK(place.runtime->on_event(nullptr) == Refusal::kNone);
  CHECK(place.runtime->on_ask(nullptr) == Refusal::kNone);
  CHECK(place.runtime->on_event([](const Event&) {}) == Refusal::kClosed);
  const int before = events;
  bool closed = false;
  CHECK(place.runtime->close([&] { closed = true; }) == Refusal::kNone);
  CHECK(place.runtime->close(nullptr) == Refusal::kClosed);
  CHECK(place.until([&] { return closed; }));
  CHECK(events == before);
}

TEST_CASE("end: a runtime may be deleted while it closes, and in on_closed") {
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

TEST_CASE("end: a runtime on a borrowed loop may be destroyed without close()") {
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

}  // namespace
}  // namespace gibbous
