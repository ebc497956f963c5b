#include "runtime/rules/packed.h"

#include <string>

#include "tests/support/catch.h"

namespace gibbous::rules {
namespace {

Unpacked some() {
  Unpacked made{{}, std::make_shared<command::Knowledge>()};
  Rule rule;
  rule.id = "test.all";
  rule.reason = "Ask.";
  rule.decision = Decision::kDeny;
  rule.file = "rules.lua";
  rule.line = 12;
  rule.programs = {*Pattern::compile("rm"), *Pattern::compile("re:x+")};
  rule.flags = {{"-r", "-R"}, {"-f"}};
  rule.options = {{{"--context"}, {*Pattern::compile("prod-*")}}};
  rule.max_operands = 0;
  rule.recursive = false;
  rule.test = 3;
  made.rules.push_back(rule);
  auto shared = std::make_shared<command::ProgramSpec>();
  shared->values = {"-C"};
  shared->runs.emplace_back();
  shared->runs.back().skip = 2;
  shared->subcommands["push"] = std::make_shared<command::ProgramSpec>();
  made.knowledge->programs = {{"git", shared}, {"hg", shared}};
  command::VariableSpec variable{"PAGER", true, std::make_shared<command::LazyRegex>("less|more")};
  made.knowledge->variables = {variable};
  made.knowledge->outputs["pwd"] = "$PWD";
  return made;
}

std::string packed(const Unpacked& all) {
  std::string bytes;
  pack(all.rules, *all.knowledge, &bytes);
  return bytes;
}

TEST_CASE("rules and knowledge come back as they were packed") {
  const std::string bytes = packed(some());
  const auto back = unpack(bytes);
  REQUIRE(back);
  REQUIRE(back->rules.size() == 1);
  const Rule& rule = back->rules[0];
  CHECK(rule.id == "test.all");
  CHECK(rule.decision == Decision::kDeny);
  CHECK(rule.line == 12);
  CHECK(rule.flags == some().rules[0].flags);
  CHECK(rule.programs[1].matches(std::string_view("xxx")));
  CHECK_FALSE(rule.programs[1].matches(std::string_view("xxy")));
  CHECK(rule.max_operands == 0);
  CHECK(rule.recursive == false);
  CHECK_FALSE(rule.redirection.has_value());
  CHECK(rule.test == 3);
  const command::Knowledge& knowledge = *back->knowledge;
  CHECK(knowledge.programs.at("git") == knowledge.programs.at("hg"));
  CHECK(knowledge.programs.at("git")->runs.at(0).skip == 2);
  CHECK(knowledge.programs.at("git")->subcommands.count("push") == 1);
  CHECK(knowledge.variables.at(0).safe->get() != nullptr);
  CHECK(packed({back->rules, back->knowledge}).size() == bytes.size());
}

TEST_CASE("bytes that are cut off or go on are not unpacked") {
  const std::string bytes = packed(some());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(unpack(std::string_view(bytes).substr(0, size)).has_value());
  CHECK_FALSE(unpack(bytes + "x").has_value());
}

TEST_CASE("sizes beyond the bytes are not believed") {
  CHECK_FALSE(unpack("\xff\xff\xff\xff\xff\xff\xff\xff\x7f").has_value());
  CHECK_FALSE(unpack(std::string(40, '\xff')).has_value());
  CHECK_FALSE(unpack("\x7f\x01").has_value());
}

}  // namespace
}  // namespace gibbous::rules
