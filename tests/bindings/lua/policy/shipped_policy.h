// The policy that ships, asked as the engine asks it.
#pragma once

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "tests/bindings/lua/load/generation_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::testing {

class ShippedPolicy {
 public:
  // Whether loading runs the examples and cases, too. That takes seconds under the sanitizers, so
  // that one test does it.
  enum class Examples { kLeftOut, kRun };

  explicit ShippedPolicy(Examples examples = Examples::kLeftOut) {
    const char* source = std::getenv("GIBBOUS_SOURCE_DIR");
    const std::string root =
        source != nullptr ? std::string(source) : program_directory() + "/share/gibbous";
    scripts_.options.policies_dir = root + "/policies";
    scripts_.options.test_policies = examples == Examples::kRun;
    // What the rules answer must not depend on how busy this machine is.
    scripts_.options.policy_budget = std::chrono::seconds(5);
    scripts_.context.home = "/home/me";
    generation_ = scripts_.load();
    INFO((scripts_.failure.errors.empty() ? "" : scripts_.failure.errors.front().text()));
    REQUIRE(generation_ != nullptr);
  }
  lua::Verdict ask(const lua::PolicyRequest& request) {
    return generation_->policy().decide(request);
  }
  lua::Verdict ask(const Json& fields) { return ask(lua::read_policy_request(fields)); }
  // Decision of a call of `tool`, which has `permission`, in `mode`.
  std::string call(const std::string& mode, const std::string& tool,
                   const std::string& permission) {
    return word(
        ask({{"kind", "call"}, {"mode", mode}, {"tool", tool}, {"permission", permission}}));
  }
  lua::Verdict start(const std::string& command, const std::string& mode = "dangerous") {
    return ask({{"kind", "start"},
                {"mode", mode},
                {"tool", "bg_start"},
                {"permission", "execute"},
                {"command", command}});
  }
  static std::string word(const lua::Verdict& verdict) {
    switch (verdict.decision) {
      case lua::Verdict::Decision::kAllow:
        return "allow";
      case lua::Verdict::Decision::kAsk:
        return "ask";
      case lua::Verdict::Decision::kDeny:
        return "deny";
    }
    return "";
  }

 private:
  Scripts scripts_;
  std::shared_ptr<lua::Generation> generation_;
};

}  // namespace gibbous::testing
