// A host with a small policy of its own, and the decisions that it leaves in the journal.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "runtime/journal/journal_reader.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

// Rules about echo, so that nothing depends on the shipped rules.
inline std::string policy_with(const std::string& rules, const std::string& cases = "{}") {
  return "local modes = require 'modes'\n"
         "return { modes = modes, decide = require('policy').decider(modes),\n"
         "  knowledge = require 'knowledge', rules = {\n" +
         rules + "}, cases = " + cases + " }\n";
}

inline constexpr char kAskAboutSecret[] =
    "{ id = 'test.secret', decision = 'ask', reason = 'Say please.', program = 'echo',\n"
    "  argument = { 'secret*' }, match = { 'echo secret' } },\n";
inline constexpr char kDenyForbidden[] =
    "{ id = 'test.forbidden', decision = 'deny', reason = 'Say something else.', program = "
    "'echo',\n"
    "  argument = { 'forbidden' }, match = { 'echo forbidden' } },\n";

class World {
 public:
  explicit World(const std::string& policy, const std::string& mode = "auto") {
    std::filesystem::create_directories(policies_.path() + "/p");
    write(policy);
    options_ = auto_mode();
    options_.mode = mode;
    options_.policies_dir = policies_.path() + "/p";
    options_.state_dir = state_.path() + "/state";
    options_.watch_files = false;
  }

  void write(const std::string& policy) const {
    std::ofstream(policies_.path() + "/p/init.lua") << policy;
  }
  void start() { host_ = std::make_unique<Host>(options_); }
  Host& host() { return *host_; }
  void stop() { host_.reset(); }
  RuntimeOptions& options() { return options_; }
  std::string state() const { return options_.state_dir; }

  // Returns the decisions in the journal after the host has ended.
  std::vector<Json> decisions() {
    stop();
    auto reader = JournalReader::open(options_.state_dir);
    if (!reader) FAIL(reader.status().message());
    auto records = (*reader)->decisions({}, 1'000);
    if (!records) FAIL(records.status().message());
    std::vector<Json> all;
    for (const DecisionRecord& each : *records) all.push_back(Json::parse(each.record_json));
    return all;
  }

 private:
  TempDir policies_;
  TempDir state_;
  RuntimeOptions options_;
  std::unique_ptr<Host> host_;
};

inline CallResult echo(Host& host, const std::string& what) {
  return host.call("bg_start", {{"command", "echo " + what}});
}

}  // namespace gibbous::testing
