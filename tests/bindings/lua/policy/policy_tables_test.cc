// The tables of rules and cases: every key is read, every mistake has its message and its place,
// and no table keeps the reader busy for long.
#include <algorithm>

#include "bindings/lua/policy/facts_value.h"
#include "tests/bindings/lua/policy/policy_tables_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using Catch::Matchers::Contains;
using test::PolicyTables;
using test::texts_of;
using Texts = std::vector<std::string>;

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST_CASE("every key of a rule is read") {
  PolicyTables tables;
  tables.knowledge.classes.push_back({"system", {"/etc"}, false});
  REQUIRE(tables.read_rules(R"(
return { {
  id = 'machine.all', decision = 'ask', reason = 'Say why.',
  program = 'rm unlink', subcommand = { 'push', 'remote add' },
  flags = { '-r -R --recursive', '-f --force' }, without_flags = { '-n --dry-run', '--help' },
  option = { ['-c --context'] = { 'prod-*', 're:live' }, ['--region'] = 'eu-* us-1' },
  argument = { 'a b', 're:x+' }, not_argument = { 'c*' }, operand = { '' }, max_operands = 3,
  access = 'remove write', path = { 'system', 'workspace_root' }, not_path = 'workspace',
  recursive = true, redirection = false, doubt = 'piped_code unread_file', detail = { '$x' },
 within = { 'xargs' }, fed_by = { 'curl' },
  feeds = { 'sh' }, host = { 'github.com', '' }, not_host = { '*.local' }, privileged = true,
  remote = false, computed = true, computed_input = true,
  test = function(c) return c.program == 'rm' end, unknown = 'tested',
  match = { 'rm x', { argv = { 'rm', '' }, cwd = '/tmp', mode = 'ci' } },
  not_match = { { command = 'ls' } },
} })"));
  REQUIRE(tables.rules.rules.size() == 1);
  const rules::Rule& rule = tables.rules.rules[0];
  CHECK(rule.id == "machine.all");
  CHECK(rule.decision == rules::Decision::kAsk);
  CHECK(rule.reason == "Say why.");
  CHECK(rule.file == test::kPolicyFile);
  CHECK(rule.line == 3);
  CHECK(texts_of(rule.programs) == Texts{"rm", "unlink"});
  CHECK(texts_of(rule.subcommands) == Texts{"push", "remote add"});
  CHECK(rule.flags == std::vector<Texts>{{"-r", "-R", "--recursive"}, {"-f", "--force"}});
  CHECK(rule.without_flags == Texts{"-n", "--dry-run", "--help"});
  REQUIRE(rule.options.size() == 2);
  CHECK(rule.options[0].names == Texts{"--region"});
  CHECK(texts_of(rule.options[0].values) == Texts{"eu-*", "us-1"});
  CHECK(rule.options[1].names == Texts{"-c", "--context"});
  CHECK(texts_of(rule.options[1].values) == Texts{"prod-*", "re:live"});
  CHECK(texts_of(rule.arguments) == Texts{"a b", "re:x+"});
  CHECK(rule.arguments[1].regex != nullptr);
  CHECK(texts_of(rule.not_arguments) == Texts{"c*"});
  CHECK(texts_of(rule.operands) == Texts{""});
  CHECK(rule.max_operands == 3);
  CHECK(rule.access == std::vector<command::AccessKind>{command::AccessKind::kRemove,
                                                        command::AccessKind::kWrite});
  CHECK(rule.paths == (command::kWorkspaceRoot | 1U << command::kFirstOwnClass));
  CHECK(rule.not_paths == command::kInWorkspace);
  CHECK(rule.recursive == true);
  CHECK(rule.redirection == false);
  CHECK(rule.doubts ==
        std::vector<command::Doubt>{command::Doubt::kPipedCode, command::Doubt::kUnreadFile});
  CHECK(texts_of(rule.doubt_details) == Texts{"$x"});
  CHECK(texts_of(rule.within) == Texts{"xargs"});
  CHECK(texts_of(rule.fed_by) == Texts{"curl"});
  CHECK(texts_of(rule.feeds) == Texts{"sh"});
  CHECK(texts_of(rule.hosts) == Texts{"github.com", ""});
  CHECK(texts_of(rule.not_hosts) == Texts{"*.local"});
  CHECK(rule.privileged == true);
  CHECK(rule.remote == false);
  CHECK(rule.computed);
  CHECK(rule.computed_input);
  CHECK(rule.test == 0);
  CHECK(rule.test_knows);
  CHECK(tables.rules.tests.size() == 1);
  REQUIRE(rule.match.size() == 2);
  CHECK(rule.match[0].command == "rm x");
  CHECK(rule.match[1].argv == Texts{"rm", ""});
  CHECK(rule.match[1].cwd == "/tmp");
  CHECK(rule.match[1].mode == "ci");
  CHECK(rule.not_match[0].command == "ls");
}

TEST_CASE("a string of flags is one set, and rules may be in lists one level deep") {
  PolicyTables tables;
  REQUIRE(tables.read_rules(R"(
local function rule(id) return { id = id, decision = 'allow', flags = '-a  -b', match = { 'x' } } end
return { rule 'one.a', {}, { rule 'two.a', rule('two.' .. 'b') } })"));
  const auto& rules = tables.rules.rules;
  REQUIRE(rules.size() == 3);
  CHECK(rules[0].flags == std::vector<Texts>{{"-a", "-b"}});
  CHECK(rules[1].id == "two.a");
  CHECK(rules[1].line == 3);
  CHECK(rules[2].file == test::kPolicyFile);
  CHECK(rules[2].line == 0);  // nothing in the file shows its place
}

TEST_CASE("a rule with a computed id is located at its test function") {
  PolicyTables tables;
  REQUIRE(
      tables.read_rules("return {\n{ id = 'a.' .. 'b', decision = 'allow', match = { 'x' },\n"
                        "test = function() return true end } }"));
  CHECK(tables.rules.rules[0].line == 3);
}

TEST_CASE("rules are located by the id in the sources, first of all in their own module") {
  std::vector<rules::Rule> rules(4);
  rules[0].id = "twice";
  rules[0].file = "/b.lua";
  rules[1].id = "once";
  rules[1].file = "/init.lua";
  rules[2].id = "twice";
  rules[2].file = "/init.lua";
  rules[3].id = "x'y";
  const SourceIndex sources({{"/a.lua", "-- id = 'once'\nreturn { id = 'twice' }", ""},
                             {"/b.lua",
                              "\n\nreturn { id = \"twice\",\n name = 'once' }, --[[\n]]\n"
                              "{ id =\n 'once' }, { id = 'x\\'y' }",
                              ""}});
  for (rules::Rule& rule : rules) locate_rule(&rule, sources);
  CHECK(rules[0].file == "/b.lua");
  CHECK(rules[0].line == 3);
  CHECK(rules[1].file == "/b.lua");
  CHECK(rules[1].line == 7);
  CHECK(rules[2].file == "/init.lua");  // it may be either
  CHECK(rules[2].line == 0);
  CHECK(rules[3].line == 7);
}

TEST_CASE("every mistake in a rule has its message") {
  PolicyTables tables;
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"flag = '-r'", "unknown key 'flag'; did you mean 'flags'?"},
      {"[3] = 'x'", "got the key [3]"},
      {"flags = 3", "flags: expected a string or a list of strings, got 3"},
      {"flags = { '-r', {} }", "flags[2]: expected a string, got a table"},
      {"flags = ' '", "flags: expected a string with at least one word, got the string \" \""},
      {"option = '--context'", "option: expected a table { ['-c --context'] = { 'prod-*' } }, got"},
      {"option = {}", "option: expected a table { ['-c --context'] = { 'prod-*' } }"},
      {"option = { 'prod-*' }", "option: expected a table { ['-c --context'] = { 'prod-*' } }"},
      {"option = { ['--context'] = 3 }",
       "option[\"--context\"]: expected a string or a list of strings, got 3"},
      {"program = { 'rm', false }", "program[2]: expected a string, got false"},
      {"program = { a = 'rm' }",
       "expected a string or a list of strings without holes or names, "
       "got one with a"},
      {"program = { [1] = 'rm', [3] = 'x' }", "without holes"},
      {"argument = 'x'", "argument: expected a list of strings, got the string \"x\""},
      {"argument = { 're:(' }", "argument: 're:(' is not a pattern: "},
      {"argument = { ('x'):rep(9000) }", "is a string of 9000 bytes; the limit is 8192"},
      {"access = 'raed'", "access: unknown access 'raed'; did you mean 'read'?"},
      {"path = 'sytem'", "path: unknown path class 'sytem'; did you mean 'system'?"},
      {"path = 'nowhere'", "known are workspace, workspace_root, outside, unknown"},
      {"doubt = 'inline'", "doubt: unknown doubt 'inline'"},
      {"doubt = 'inlinecode'", "did you mean 'inline_code'?"},
      {"max_operands = 1.5",
       "max_operands: expected a whole number from 0 to 1000000, "
       "got 1.5"},
      {"max_operands = 0/0", "max_operands: expected a whole number"},
      {"max_operands = 1/0", "max_operands: expected a whole number"},
      {"max_operands = '3'", "got the string \"3\""},
      {"recursive = 'yes'", "recursive: expected true or false, got the string \"yes\""},
      {"leaves = false", "leaves: expected true, or nothing, got false"},
      {"test = 'x'", "test: expected a function, got the string \"x\""},
      {"unknown = 'ignored'", "unknown: expected 'stricter' or 'tested', got"},
      {"not_match = { {} }", "not_match[1]: must have command or argv, and not both"},
      {"not_match = { { command = 'x', argv = { 'x' } } }", "command or argv, and not both"},
      {"not_match = { { argv = {} } }", "argv: expected a list of at least one word"},
      {"not_match = { { comand = 'x' } }", "unknown key 'comand'; did you mean 'command'?"},
      {"not_match = { { command = 'x', cwd = 'src' } }", "cwd: expected an absolute path"},
      {"not_match = { 3 }", "not_match[1]: expected a command, or a table"},
      {"not_match = 'ls'", "not_match: expected a list, got the string \"ls\""},
  };
  tables.knowledge.classes.push_back({"system", {"/etc"}, false});
  for (const auto& [fields, message] : mistakes) {
    INFO(fields);
    const std::string faults = tables.rule_faults(fields);
    CHECK_THAT(faults, Contains(message));
    CHECK_THAT(faults, Contains("/policies/rules.lua:1: rules[1] 'a.b': "));
  }
}

TEST_CASE("every missing required field of a rule is refused") {
  PolicyTables tables;
  CHECK_FALSE(
      tables.read_rules("return { { id = '', decision = 'no' }, {}, 7,\n"
                        "{ id = 'b c', decision = 'deny', match = {} },\n"
                        "{ id = 'd', decision = 'deny', match = {} } }"));
  for (const char* message :
       {"rules[1]: id: expected a non-empty string, got the string \"\"",
        "rules[1]: decision: unknown decision 'no'; known are allow, ask, deny",
        "rules[1]: match is missing: expected a rule { id = ..., decision = ..., match",
        "rules[3]: expected a rule { id = ..., decision = ..., match = { ... } }, got 7",
        ":2: rules[4] 'b c': id: expected 1 to 128 letters, digits, '_', '-' and '.'",
        ":3: rules[5] 'd': reason is missing: a sentence for a person that says what to do",
        ":3: rules[5] 'd': match: must hold a line that the rule matches"}) {
    CHECK_THAT(tables.faults, Contains(message));
  }
}

TEST_CASE("a fault names the line of the wrong word") {
  PolicyTables tables;
  CHECK_FALSE(
      tables.read_rules("return {\n{ id = 'a', decision = 'allow',\naccess = 'raed',\n"
                        "falgs = '-r',\nmatch = { 'x' } } }"));
  CHECK_THAT(tables.faults, Contains("rules.lua:3: rules[1] 'a': access: unknown access"));
  CHECK_THAT(tables.faults, Contains("rules.lua:4: rules[1] 'a': unknown key 'falgs'"));
}

TEST_CASE("every line of a case becomes a separate case") {
  PolicyTables tables;
  REQUIRE(tables.read_cases(R"(
return {
  { name = 'remove', mode = 'ci', cwd = '/workspace/src', home = '/h', workspace = '/w',
    deny = { 'rm -rf /' },
    asked_or_denied = { { argv = { 'rm', '-rf' }, cwd = '/tmp' } } },
  { { name = 'build', ask = { 'rm -rf /' }, allow = { 'make' },
      not_denied = { { command = 'ls', mode = 'plan' } } } },
})"));
  const auto& cases = tables.cases;
  REQUIRE(cases.size() == 5);
  CHECK(cases[0].name == "remove");
  CHECK(cases[0].mode == "ci");
  CHECK(cases[0].workspace == "/w");
  CHECK(cases[0].home == "/h");
  CHECK(cases[0].cwd == "/workspace/src");
  CHECK(cases[0].command == "rm -rf /");
  CHECK(cases[0].expectation == "deny");
  CHECK(cases[0].expected == bit_of(rules::Decision::kDeny));
  CHECK(cases[0].line == 4);
  CHECK(cases[1].argv == Texts{"rm", "-rf"});
  CHECK(cases[1].cwd == "/tmp");
  CHECK(cases[1].expected == (bit_of(rules::Decision::kDeny) | bit_of(rules::Decision::kAsk)));
  CHECK(cases[1].line == 3);  // of its table
  CHECK(cases[2].name == "build");
  CHECK(cases[2].line == 6);
  CHECK(cases[2].mode == "auto");
  CHECK(cases[2].workspace == "/workspace");
  CHECK(cases[2].home == "/home/user");
  CHECK(cases[2].cwd == "/workspace");
  CHECK(cases[3].expected == (bit_of(rules::Decision::kAllow) | kInside | kConfined));
  CHECK(cases[4].mode == "plan");
  CHECK(cases[4].expected ==
        (bit_of(rules::Decision::kAllow) | bit_of(rules::Decision::kAsk) | kInside | kConfined));
}

TEST_CASE("every mistake in a case has its message") {
  PolicyTables tables;
  CHECK_FALSE(tables.read_cases(R"(return { { name = 'a', dney = { 'x' } }, { name = 'b' },
    { deny = { 'x' } }, { name = 'd', home = '~', deny = { 4 } } })"));
  for (const char* message : {"cases[1] 'a': unknown key 'dney'; did you mean 'deny'?",
                              "cases[2] 'b': must say what is expected: deny, ask, allow, free, ",
                              "cases[3]: name is missing",
                              "cases[4] 'd': home: expected an absolute path, got the string",
                              "cases[4] 'd': deny[1]: expected a command, or a table"}) {
    CHECK_THAT(tables.faults, Contains(message));
  }
}

TEST_CASE("hostile tables are refused in bounded time") {
  PolicyTables tables;
  const std::string rule = "{ id = 'a', decision = 'allow', match = { 'x' } }";
  const std::vector<std::pair<std::string, std::string>> scripts = {
      {"local l = {} l[1] = l return l", "is a list in a list in a list"},
      {"local l = {} for i = 1, 20001 do l[i] = 'x' end return l", "more than 20000 elements"},
      {"local l = { x = 1 } return setmetatable({}, { __index = l, __len = error })", ""},
      {"return setmetatable({ setmetatable({}, { __index = " + rule + " }), 1 }, {})",
       "rules[2]: expected a rule"},
      {"local r, l = " + rule + ", {} for i = 1, 19999 do l[i] = r end return { l, l }",
       "more than 20000 rules"},
      {"local l = {} for i = 1, 1001 do l[i] = 'x' end\nreturn { { id = 'a', match = l } }",
       "match: has more than 1000 elements"},
      {"local r = { id = 'a' } for i = 1, 5000 do r['k' .. i] = 1 end return { r }",
       "These are the first 50 faults."},
      {"local l = {} for i = 1, 1000 do l[i] = 'x' end\n"
       "local r = { id = 'a', decision = 'allow', match = l, not_match = l }\n"
       "local all = {} for i = 1, 9000 do all[i] = r end return all",
       "the tables of the policy are too large"},
      {"return 5", "rules: expected a list, got 5"},
      {"return tostring", "rules: expected a list, got a function"},
  };
  for (const auto& [script, message] : scripts) {
    INFO(script);
    const bool good = tables.read_rules(script);
    CHECK(tables.error.message.empty());
    CHECK(good == message.empty());
    CHECK_THAT(tables.faults, Contains(message));
    CHECK(tables.faults.size() < kMiB);
  }
}

TEST_CASE("reading counts against the budget") {
  PolicyTables tables;
  const std::string script =
      "local l = {} for i = 1, 900 do l[i] = 're:(a{1,400}){1,2}' .. i end\n"
      "return { { id = 'a', decision = 'allow', match = { 'x' }, argument = l, operand = l } }";
  CHECK_FALSE(tables.read_rules(script, std::chrono::milliseconds(30)));
  CHECK(tables.error.code == "budget_exceeded");
}

TEST_CASE("a test function gets the facts that the meta file declares") {
  auto state = test::make_state();
  command::Facts facts;
  command::SimpleCommand one;
  one.program = "rm";
  one.argv.resize(2);
  one.argv[0].text = "rm";
  one.argv[1].text = "$x";
  one.argv[1].holes.push_back({});
  one.operands = {1};
  one.accesses.push_back({});
  one.accesses[0].classes = command::kOutside | 1U << command::kFirstOwnClass;
  one.assignments.push_back({"A", one.argv[1], true});
  facts.commands = {{}, one};
  facts.doubts = {{command::Doubt::kEncoding, 0, 0, ""},
                  {command::Doubt::kOverLimit, -1, 0, ""},
                  {command::Doubt::kUnknownCommandArgument, 1, 0, "x"}};
  command::Knowledge knowledge;
  knowledge.classes.push_back({"system", {}, false});
  std::string seen;
  ScriptError error;
  const bool ran = state->protect(
      {},
      [&](lua_State* lua) {
        const char* script =
            "local f = ... local a, n = f.accesses[1], f.assignments[1] return json.encode {"
            "f.program, f.argv[2], f.literal[1], f.literal[2], f.operands[1], #f.options, a.access,"
            "a.classes[1], a.classes[2], n.name, n.literal, "
            "f.doubts[1], f.doubts[2], #f.doubts, f.cwd, f.privileged, f.mode, #f.hosts,"
            "f.subcommand, #f.fed_by, #f.feeds, a.recursive }";
        if (!load_chunk(lua, script, test::kChunk)) lua_error(lua);
        push_command_facts(lua, facts, 1, knowledge, "auto");
        lua_call(lua, 1, 1);
        seen = lua_tostring(lua, -1);
      },
      &error);
  INFO(error.text());
  REQUIRE(ran);
  CHECK(seen == R"(["rm","$x",true,false,2,0,"read","outside","system","A",false,)"
                R"("over_limit","unknown_command_argument",2,"",false,"auto",0,"",0,0,false])");
}

TEST_CASE("facts as JSON are bounded and valid UTF-8") {
  command::Facts facts;
  command::SimpleCommand one;
  one.program = std::string(300, 'a') + "\xff";
  one.argv.resize(100);
  one.argv[0].text = "\xc3\xa9\xff";
  facts.commands.assign(70, one);
  facts.doubts.assign(65, {command::Doubt::kUnparsed, 3, 0, "x"});
  const Json value = facts_json(facts, {});
  CHECK(value["commands"].size() == 64);
  CHECK(value["omitted"]["commands"] == 6);
  CHECK(value["omitted"]["doubts"] == 1);
  CHECK(value["doubts"][0] == Json{{"doubt", "unparsed"}, {"detail", "x"}, {"command", 3}});
  CHECK(value["commands"][0]["argv"].size() == 64);
  CHECK(value["commands"][0]["omitted"]["argv"] == 36);
  CHECK(value["commands"][0]["argv"][0] == "\xc3\xa9\xef\xbf\xbd");
  CHECK(value["commands"][0]["program"] == std::string(256, 'a') + "…");
  CHECK(value.dump().size() < kMiB);
}

}  // namespace
}  // namespace gibbous::lua
