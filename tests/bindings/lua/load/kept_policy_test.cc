// What was read of a policy and is kept in the state directory: when it counts, and when not.
#include "bindings/lua/load/kept_policy.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/policy_program.h"
#include "tests/bindings/lua/load/generation_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/source.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;
using lua::Verdict;

constexpr char kInit[] =
    "return { modes = { default = {} },\n"
    "  decide = function(effect)\n"
    "    local judged = effect.judged or {}\n"
    "    return { decision = judged.decision or 'ask', rule = judged.rule or 'none',\n"
    "      reason = judged.reason or 'no rule' }\n"
    "  end,\n"
    "  rules = function() return require 'team' end,\n"
    "  knowledge = require 'knowledge' }\n";
constexpr char kTeam[] =
    "return {\n"
    "  { id = 'team.fish', decision = 'deny', reason = 'No fish.', program = 'echo',\n"
    "    test = function(command) return command.argv[2] == 'fish' end,\n"
    "    match = { 'echo fish' }, not_match = { 'echo bird' } },\n"
    "  { id = 'team.bird', decision = 'allow', program = 'echo', argument = { 're:b.rd' },\n"
    "    match = { 'echo bird' } },\n"
    "}\n";

// A policy of one's own, loaded as `policy check` does, with a state directory.
struct Place {
  Place() {
    scripts.policy("init.lua", kInit);
    scripts.policy("team.lua", kTeam);
    scripts.options.shipped_policies_dir = testing::source_path("policies");
    scripts.options.only_policies = true;
    scripts.options.state_dir = scripts.dir.path() + "/state";
    scripts.context.workspace = "/workspace";
    scripts.context.home = "/home/user";
  }
  std::string kept() const {
    for (const auto& file : fs::directory_iterator(scripts.options.state_dir + "/policies"))
      return file.path().string();
    return "";
  }
  std::string bytes() const {
    std::ifstream file(kept(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // What the policy says about a command: "deny team.fish".
  std::string said(const std::string& command) {
    const auto made = scripts.load();
    if (made == nullptr) return scripts.failure.errors.front().text();
    lua::PolicyRequest request;
    request.kind = lua::RequestKind::kStart;
    request.permission = "execute";
    request.mode = "default";
    request.command = command;
    const Verdict verdict = made->policy().decide(request);
    has_examples = !made->policy().commands()->rules().rules().front().match.empty();
    return std::string(name_of(verdict.decision)) + " " + verdict.rule;
  }

  testing::Scripts scripts;
  bool has_examples = false;  // of the last load: its tables were read
};

TEST_CASE("a policy that was read before says the same, tests of rules included") {
  Place place;
  CHECK(place.said("echo fish") == "deny team.fish");
  CHECK(place.has_examples);
  struct stat file {};
  REQUIRE(::stat(place.kept().c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0600);
  for (const auto& [command, verdict] :
       {std::pair("echo fish", "deny team.fish"), std::pair("echo bird", "allow team.bird"),
        std::pair("echo", "ask none"), std::pair("echo fish; echo bird", "deny team.fish")}) {
    CHECK(place.said(command) == verdict);
    CHECK_FALSE(place.has_examples);
  }
}

TEST_CASE("a policy that was read before keeps the hash, files and places of its rules") {
  Place place;
  const auto read = place.scripts.load();
  const auto kept = place.scripts.load();
  REQUIRE(read != nullptr);
  REQUIRE(kept != nullptr);
  CHECK(kept->policy().hash() == read->policy().hash());
  CHECK(kept->files().size() == read->files().size());
  CHECK(kept->watched().size() == read->watched().size());
  const auto& before = read->policy().commands()->rules().rules();
  const auto& after = kept->policy().commands()->rules().rules();
  REQUIRE(before.size() == after.size());
  for (std::size_t at = 0; at < before.size(); ++at) {
    CHECK(after[at].id == before[at].id);
    CHECK(after[at].file == before[at].file);
    CHECK(after[at].line == before[at].line);
  }
}

TEST_CASE("a changed, new or missing file makes what was read of a policy void") {
  Place place;
  CHECK(place.said("echo fish") == "deny team.fish");
  SECTION("a rule changes") {
    std::string text = kTeam;
    text.replace(text.find("'deny'"), 6, "'ask' ");
    place.scripts.policy("team.lua", text);
    CHECK(place.said("echo fish") == "ask team.fish");
  }
  SECTION("a module of one's own comes before one that ships") {
    place.scripts.policy("knowledge.lua", "error('this knowledge is ' .. 'broken', 0)\n");
    CHECK(place.said("echo fish").find("this knowledge is broken") != std::string::npos);
  }
  SECTION("a module goes") {
    fs::remove(place.scripts.options.policies_dir + "/team.lua");
    CHECK(place.said("echo fish").find("module 'team' not found") != std::string::npos);
  }
  SECTION("and back again") {
    place.scripts.policy("team.lua", std::string(kTeam) + "\n");
    CHECK(place.said("echo fish") == "deny team.fish");
    CHECK(place.has_examples);
    place.scripts.policy("team.lua", kTeam);
    CHECK(place.said("echo fish") == "deny team.fish");
    CHECK(place.has_examples);
  }
}

TEST_CASE("a policy whose examples fail is not kept") {
  Place place;
  std::string text = kTeam;
  text.replace(text.find("'echo fish'"), 11, "'echo frog'");
  place.scripts.policy("team.lua", text);
  CHECK(place.said("echo fish").find("echo frog") != std::string::npos);
  CHECK_FALSE(fs::exists(place.scripts.options.state_dir + "/policies"));
}

TEST_CASE("kept bytes that are not those that were written do not count") {
  Place place;
  CHECK(place.said("echo fish") == "deny team.fish");
  const std::string whole = place.bytes();
  REQUIRE(whole.size() > 1000);
  const auto write = [&](const std::string& bytes) {
    std::ofstream(place.kept(), std::ios::binary | std::ios::trunc) << bytes;
  };
  // What they hold is a matter of bytes, so only a part of them is changed in turn.
  for (std::size_t at = 0; at < whole.size() / 2; at += whole.size() / 20) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    write(changed);
    CHECK(place.said("echo fish") == "deny team.fish");
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{20}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    write(whole.substr(0, size));
    CHECK(place.said("echo fish") == "deny team.fish");
  }
}

TEST_CASE("compiled files that were changed are compiled from their texts") {
  Place place;
  CHECK(place.said("echo fish") == "deny team.fish");
  std::string changed = place.bytes();
  // The last bytes are those of a compiled file.
  for (std::size_t at = changed.size() - 200; at < changed.size(); ++at) changed[at] = 'x';
  std::ofstream(place.kept(), std::ios::binary | std::ios::trunc) << changed;
  CHECK(place.said("echo fish") == "deny team.fish");
  CHECK_FALSE(place.has_examples);
}

TEST_CASE("what another key sealed, what others could write and what is a link do not count") {
  Place place;
  CHECK(place.said("echo fish") == "deny team.fish");
  const std::string state = place.scripts.options.state_dir;
  SECTION("another key") {
    std::ofstream(state + "/approvals.key", std::ios::trunc) << std::string(64, 'a');
  }
  SECTION("no key") {
    fs::remove(state + "/approvals.key");
  }
  SECTION("a file that others could write") {
    fs::permissions(place.kept(), fs::perms(0666));
  }
  SECTION("a directory that others could write") {
    fs::permissions(state + "/policies", fs::perms(0777));
  }
  SECTION("a link") {
    const std::string kept = place.kept();
    fs::rename(kept, state + "/elsewhere");
    fs::create_symlink(state + "/elsewhere", kept);
  }
  CHECK(place.said("echo fish") == "deny team.fish");
  CHECK(place.has_examples);
}

TEST_CASE("a state directory that cannot be written keeps nothing and hinders nothing") {
  Place place;
  place.scripts.dir.write("state", "a file");
  CHECK(place.said("echo fish") == "deny team.fish");
  CHECK(place.said("echo bird") == "allow team.bird");
  CHECK(place.has_examples);
}

TEST_CASE("only the policies that were used last are kept") {
  Place place;
  for (int at = 0; at < 12; ++at) {
    const std::string name = "policies_" + std::to_string(at);
    place.scripts.dir.write(name + "/init.lua", kInit);
    place.scripts.dir.write(name + "/team.lua", kTeam);
    place.scripts.options.policies_dir = place.scripts.dir.path() + "/" + name;
    CHECK(place.said("echo fish") == "deny team.fish");
  }
  std::size_t count = 0;
  for (const auto& file : fs::directory_iterator(place.scripts.options.state_dir + "/policies")) {
    CHECK(file.path().filename().string().front() != '.');
    ++count;
  }
  CHECK(count == 8);
}

TEST_CASE("a load that does not run the policy's own tests keeps nothing") {
  Place place;
  place.scripts.options.test_policies = false;
  CHECK(place.said("echo fish") == "deny team.fish");
  CHECK_FALSE(fs::exists(place.scripts.options.state_dir));
}

TEST_CASE("the shipped policy judges alike when it was read before") {
  Place place;
  place.scripts.options.policies_dir = place.scripts.options.shipped_policies_dir;
  place.scripts.options.mode = "auto";
  const auto read = place.scripts.load();
  REQUIRE(read != nullptr);
  const auto kept = place.scripts.load();
  REQUIRE(kept != nullptr);
  REQUIRE(kept->policy().commands()->rules().rules().front().match.empty());
  std::size_t lines = 0;
  for (const rules::Rule& rule : read->policy().commands()->rules().rules()) {
    for (const rules::Example& example : rule.match) {
      lua::PolicyRequest request;
      request.kind = lua::RequestKind::kStart;
      request.tool = "policy";
      request.permission = "execute";
      request.mode = example.mode.empty() ? "auto" : example.mode;
      request.argv = example.argv;
      if (example.argv.empty()) request.command = example.command;
      const Verdict first = read->policy().decide(request);
      const Verdict second = kept->policy().decide(request);
      INFO(example.command);
      CHECK(second.decision == first.decision);
      CHECK(second.rule == first.rule);
      CHECK(second.reason == first.reason);
      CHECK(second.asks == first.asks);
      CHECK(second.line == first.line);
      ++lines;
    }
  }
  CHECK(lines > 500);
}

}  // namespace
}  // namespace gibbous
