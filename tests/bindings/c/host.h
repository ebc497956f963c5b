// A host that uses the C interface, for tests of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "gibbous.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

struct Taken {
  int kind = 0;
  std::int64_t call = 0;
  std::uint64_t token = 0;
  Json json;
};

class CHost {
 public:
  explicit CHost(Json options = Json::object()) {
    if (!options.contains("mode")) options["mode"] = "auto";
    options["state_dir"] = state_.path();
    char error[500];
    runtime = gib_create(options.dump().c_str(), error, sizeof error);
    INFO(error);
    REQUIRE(runtime != nullptr);
  }
  ~CHost() { gib_destroy(runtime); }
  CHost(const CHost&) = delete;
  CHost& operator=(const CHost&) = delete;

  // Takes messages until one is wanted; the last one taken is it.
  bool until(const std::function<bool(const Taken&)>& wanted) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      if (gib_wait(runtime, 20) < 0) return false;
      gib_message message = {};
      message.size = sizeof message;
      while (gib_next(runtime, &message) == 1) {
        taken.push_back({message.kind, message.call, message.token, Json::parse(message.json)});
        if (wanted(taken.back())) return true;
      }
    }
    return false;
  }
  bool until(int kind) {
    return until([kind](const Taken& each) { return each.kind == kind; });
  }
  // Whether the event has come, or comes.
  bool saw_event(const std::string& name) {
    const auto is_it = [&name](const Taken& each) {
      return each.kind == GIB_EVENT && each.json["event"] == name;
    };
    return std::any_of(taken.begin(), taken.end(), is_it) || until(is_it);
  }
  Json call(const Json& request) {
    const std::int64_t id = gib_call(runtime, request.dump().c_str());
    INFO(gib_error(runtime));
    REQUIRE(id > 0);
    REQUIRE(until([id](const Taken& each) { return each.kind == GIB_RESULT && each.call == id; }));
    return last().json;
  }
  const Taken& last() const { return taken.back(); }

  gib_runtime* runtime = nullptr;
  std::vector<Taken> taken;

 private:
  TempDir state_;
};

}  // namespace gibbous::testing
