// Configuration in layers: a lower one may only tighten what a higher one has set.
#include "bindings/lua/load/config_layers.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/support/source.h"

using namespace gibbous;
using namespace gibbous::lua;
using Catch::Matchers::Contains;

namespace {

LayerText managed(const std::string& text) {
  return {ConfigLayer::kManaged, "/etc/gibbous/config.lua", "return {\n" + text + "\n}\n", nullptr};
}
LayerText user(const std::string& text) {
  return {ConfigLayer::kUser, "/home/u/config.lua", "return {\n" + text + "\n}\n", nullptr};
}
LayerText project(const std::string& text) {
  return {ConfigLayer::kProject, "/w/.gibbous/config.lua", "return {\n" + text + "\n}\n", nullptr};
}
LayerText options(Json table) {
  return {ConfigLayer::kOptions, "", "", std::move(table)};
}

LayeredConfig merged(const std::vector<LayerText>& layers) {
  auto made = merge_layers(layers, SystemClock());
  INFO((made ? "" : made.status().message()));
  REQUIRE(made);
  return std::move(*made);
}

std::string in_force(const LayeredConfig& made, const std::string& field) {
  for (const ConfigValue& value : made.values) {
    if (value.field == field) return value.shown + " " + name_of(value.place.layer);
  }
  return "";
}

TEST_CASE("a user tightens what is managed, and cannot loosen it") {
  const struct {
    const char* field;
    const char* managed;
    const char* tighter;
    const char* looser;
    const char* shown;
  } kFields[] = {
      {"limits.max_concurrent", "limits = { max_concurrent = 5 },",
       "limits = { max_concurrent = 2 },", "limits = { max_concurrent = 9 },", "2"},
      {"limits.default_timeout_ms", "limits = { default_timeout_ms = 1000 },",
       "limits = { default_timeout_ms = 10 },", "limits = { default_timeout_ms = 0 },", "10"},
      {"limits.run.pids", "limits = { run = { pids = 50 } },", "limits = { run = { pids = 20 } },",
       "limits = { run = { pids = 51 } },", "20"},
      {"limits.max_concurrent_of_label.gpu", "limits = { max_concurrent_of_label = { gpu = 2 } },",
       "limits = { max_concurrent_of_label = { gpu = 1 } },",
       "limits = { max_concurrent_of_label = { gpu = 3 } },", "1"},
      {"sandbox.profile", "sandbox = { profile = 'workspace' },",
       "sandbox = { profile = 'readonly' },", "sandbox = { profile = 'none' },", "\"readonly\""},
      {"sandbox.network", "sandbox = { network = 'loopback' },", "sandbox = { network = 'off' },",
       "sandbox = { network = 'on' },", "\"off\""},
      {"sandbox.min_landlock_abi", "sandbox = { min_landlock_abi = 3 },",
       "sandbox = { min_landlock_abi = 4 },", "sandbox = { min_landlock_abi = 1 },", "4"},
      {"sandbox.host_ports", "sandbox = { host_ports = { 80, 443 } },",
       "sandbox = { host_ports = { 443 } },", "sandbox = { host_ports = { 443, 22 } },", "[443]"},
      {"modes", "modes = { 'default', 'plan' },", "modes = { 'plan' },",
       "modes = { 'plan', 'auto' },", "[\"plan\"]"},
      {"toolsets", "toolsets = { 'bg', 'wait' },", "toolsets = { 'wait' },",
       "toolsets = { 'wait', 'shell' },", "[\"wait\"]"},
      {"kill_on_session_end", "kill_on_session_end = true,", "kill_on_session_end = true,",
       "kill_on_session_end = false,", "true"},
      {"journal.enabled", "journal = { enabled = true },", "journal = { enabled = true },",
       "journal = { enabled = false },", "true"},
      {"lua.call_ms", "lua = { call_ms = 500 },", "lua = { call_ms = 100 },",
       "lua = { call_ms = 501 },", "100"},
      {"asks.wait_s", "asks = { wait_s = 60 },", "asks = { wait_s = 30 },",
       "asks = { wait_s = 0 },", "30"},
      {"asks.keep_s", "asks = { keep_s = 600 },", "asks = { keep_s = 0 },",
       "asks = { keep_s = 601 },", "0"},
  };
  for (const auto& each : kFields) {
    INFO(each.field);
    const LayeredConfig good = merged({managed(each.managed), user(each.tighter)});
    CHECK(in_force(good, each.field) == std::string(each.shown) + " user");
    CHECK(good.refused.empty());
    const LayeredConfig bad = merged({managed(each.managed), user(each.looser)});
    CHECK(in_force(bad, each.field).ends_with(" managed"));
    REQUIRE(bad.refused.size() == 1);
    const RefusedValue& refused = bad.refused.front();
    CHECK(refused.field == each.field);
    CHECK(refused.bound.layer == ConfigLayer::kManaged);
    CHECK_THAT(refused.message, Contains("/home/u/config.lua:2") &&
                                    Contains("/etc/gibbous/config.lua:2") && Contains("Remove it"));
  }
}

TEST_CASE("a field without an order is locked once it is managed") {
  const LayeredConfig made = merged({managed("shell = '/bin/sh',\nenv = { A = '1' },"),
                                     user("shell = '/bin/bash',\nenv = { A = '2', B = '3' },")});
  CHECK(made.config.text("shell") == "/bin/sh");
  CHECK(made.config.text("env.A") == "1");
  CHECK(made.config.text("env.B") == "3");
  REQUIRE(made.refused.size() == 2);
  CHECK_THAT(made.refused.front().message + made.refused.back().message,
             Contains("nothing below changes it"));
}

TEST_CASE("who is told of a question is nobody's to change once it is managed") {
  const char* kManaged = "asks = { notify = { command = { '/usr/bin/tell' } } },";
  const LayeredConfig made =
      merged({managed(kManaged), user("asks = { notify = { command = { '/bin/true' } } },")});
  CHECK(made.config.get<Json>("asks.notify.command") == Json({"/usr/bin/tell"}));
  REQUIRE(made.refused.size() == 1);
  CHECK_THAT(made.refused.front().field, Catch::Matchers::StartsWith("asks.notify"));
}

TEST_CASE("a project sets nothing about questions") {
  for (const char* text : {"asks = { wait_s = 1 },", "asks = { keep_s = 1 },",
                           "asks = { notify = { command = { 'x' } } },"}) {
    INFO(text);
    const LayeredConfig made = merged({project(text)});
    REQUIRE(made.refused.size() == 1);
    CHECK(made.config.find("asks") == nullptr);
  }
}

TEST_CASE("variables that are not inherited are those of all layers") {
  const LayeredConfig made = merged({managed("unset_env = { 'A' },"), user("unset_env = { 'B' },"),
                                     project("unset_env = { 'A', 'C' },")});
  CHECK(made.config.get<Json>("unset_env") == Json{"A", "B", "C"});
}

TEST_CASE("the command line cannot loosen what is managed: it is an error with the way out") {
  const auto refused = [](const std::string& what, Json table) {
    const auto made = merge_layers({managed(what), options(std::move(table))}, SystemClock());
    REQUIRE_FALSE(made);
    CHECK(made.status().code() == "config_refused");
    return made.status().message();
  };
  CHECK_THAT(refused("modes = { 'plan', 'default' },", {{"mode", "dangerous"}}),
             Contains("mode: 'dangerous' (the command line) is not among the modes that "
                      "/etc/gibbous/config.lua:2 allows: plan, default. Use one of them"));
  CHECK_THAT(refused("mode = 'default',", {{"mode", "auto"}}),
             Contains("/etc/gibbous/config.lua:2 sets \"default\""));
  CHECK_THAT(refused("sandbox = { profile = 'readonly' },", {{"sandbox", {{"profile", "none"}}}}),
             Contains("sandbox.profile: \"none\" (the command line) is looser than \"readonly\""));
  CHECK_THAT(refused("policies = '/etc/p',", {{"policies", "/tmp/p"}}), Contains("policies"));
  const LayeredConfig good = merged(
      {managed("mode = 'default',\nmodes = { 'plan', 'default' },"), options({{"mode", "plan"}})});
  CHECK(good.config.text("mode") == "plan");
}

TEST_CASE("without a mode, the first of those that may be used is in force") {
  CHECK(merged({managed("modes = { 'plan', 'ci' },")}).config.text("mode") == "plan");
  CHECK(merged({managed("modes = { 'plan', 'default' },")}).config.text("mode") == "default");
}

TEST_CASE("a project tightens what is in force, the defaults too, and sets nothing else") {
  const LayeredConfig made = merged(
      {user("limits = { max_queued = 50 },\nmode = 'auto',"),
       project("limits = { max_queued = 20, max_concurrent = 6, kill_grace_ms = 100 },\n"
               "sandbox = { profile = 'workspace' },\nmode = 'dangerous',\nenv = { A = 'b' },\n"
               "shell = '/tmp/x',\nexecutors = { docker = { image = 'evil' } },")});
  CHECK(in_force(made, "limits.max_queued") == "20 project");
  CHECK(in_force(made, "limits.kill_grace_ms") == "100 project");
  CHECK(in_force(made, "sandbox.profile") == "\"workspace\" project");
  CHECK(made.config.text("mode") == "auto");
  for (const char* field : {"shell", "env", "executors"}) {
    CHECK(made.config.find(field) == nullptr);
  }
  REQUIRE(made.refused.size() == 5);
  const auto of = [&made](const std::string& field) {
    return std::find_if(made.refused.begin(), made.refused.end(),
                        [&field](const auto& each) { return each.field == field; })
        ->message;
  };
  CHECK_THAT(of("limits.max_concurrent"), Contains("is looser than the default, 5"));
  CHECK_THAT(of("mode"), Contains("a project may set only limits"));
  CHECK_THAT(of("env.A"), Contains(".gibbous/config.lua:5"));
}

TEST_CASE("secrets in values are not shown") {
  const LayeredConfig made =
      merged({managed("env = { API_TOKEN = 'hunter2hunter2', LANG = 'C' },"),
              user("secrets = { deploy = { command = { 'pass', 'hunter2hunter2' } } },\n"
                   "env = { API_TOKEN = 'other2other2' },")});
  std::string all;
  for (const ConfigValue& value : made.values) all += value.field + "=" + value.shown + "\n";
  for (const RefusedValue& value : made.refused) all += value.message;
  CHECK_THAT(all, !Contains("hunter2") && !Contains("other2") && Contains("env.LANG=\"C\"") &&
                      Contains("env.API_TOKEN=\"***\""));
}

TEST_CASE("a token is one field: managed ones stay as they are, and a project adds none") {
  const std::string hash(64, 'a');
  const std::string ci = "ci = { sha256 = '" + hash + "', mode = ";
  const LayeredConfig made =
      merged({managed("mcp = { tokens = { " + ci + "'plan' } } },"),
              user("mcp = { tokens = { " + ci + "'dangerous' },\n" +
                   "ann = { file = 'ann.token', workspace = 'work', approver = 'person' } } },"),
              project("mcp = { tokens = { eve = { sha256 = '" + hash + "' } } },")});
  const auto tokens = made.config.client_tokens();
  REQUIRE(tokens.size() == 2);
  CHECK(tokens.at("ci").mode == "plan");
  CHECK(tokens.at("ci").session == "ci");
  CHECK(tokens.at("ann").file == "/home/u/ann.token");
  CHECK(tokens.at("ann").workspace == "/home/u/work");
  CHECK(tokens.at("ann").approver == "person");
  REQUIRE(made.refused.size() == 2);
  CHECK_THAT(made.refused[0].message,
             Contains("mcp.tokens.ci") && Contains("is not used") && !Contains(hash));
  CHECK_THAT(made.refused[1].message,
             Contains("mcp.tokens.eve") && Contains("a project may set only"));
}

TEST_CASE("a token works only in a mode that the server may have, and in a session of its own") {
  const auto problem = [](const std::string& above, const std::string& tokens) {
    const auto made = merge_layers(
        {managed(above), user("mcp = { tokens = {\n" + tokens + "\n} },")}, SystemClock());
    return made ? "" : made.status().code() + ": " + made.status().message();
  };
  const std::string dangerous = "ci = { file = 'a', mode = 'dangerous' },";
  CHECK(problem("", dangerous).empty());
  CHECK_THAT(problem("modes = { 'plan', 'auto' },", dangerous),
             Contains("config_refused: mcp.tokens.ci.mode: 'dangerous' (/home/u/config.lua:3) is "
                      "not among the modes that /etc/gibbous/config.lua:2 allows: plan, auto"));
  CHECK_THAT(problem("mode = 'plan',", dangerous), Contains("/etc/gibbous/config.lua:2 sets"));
  CHECK(problem("mode = 'plan',", "ci = { file = 'a', mode = 'plan' },").empty());
  CHECK_THAT(problem("", "a = { file = 'a' }, b = { file = 'b', session = 'a' },"),
             Contains("mcp.tokens.b.session: 'a'") && Contains("the session of mcp.tokens.a"));
}

TEST_CASE("a file that is wrong stops the start, whatever its layer") {
  const auto made = merge_layers({managed(""), project("limitz = {},")}, SystemClock());
  REQUIRE_FALSE(made);
  CHECK(made.status().code() == "config_invalid");
  CHECK_THAT(made.status().message(), Contains("/w/.gibbous/config.lua") && Contains("limits"));
}

}  // namespace
