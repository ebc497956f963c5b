// The tables of a policy's knowledge: programs and paths.
#include <re2/re2.h>

#include "runtime/command/path_map.h"
#include "tests/bindings/lua/policy/policy_tables_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using Catch::Matchers::Contains;
using test::PolicyTables;
using Texts = std::vector<std::string>;
using command::AccessKind;
using command::RunsSpec;
using command::Selector;

const command::AccessSpec* access_of(const command::ProgramSpec& spec, AccessKind kind) {
  for (const command::AccessSpec& each : spec.accesses) {
    if (each.kind == kind) return &each;
  }
  return nullptr;
}

std::string paths_script(const std::string& entries) {
  return "return { programs = {},\npaths = { { name = 'own', "
         "entries = { " +
         entries + " } } } }";
}

TEST_CASE("every key of a program is read") {
  PolicyTables tables;
  REQUIRE(tables.read_knowledge(R"(
return {
  programs = {
    all = {
      values = '-C --directory', reads = 'operands', writes = { 'last', '-o --output' },
      removes = 'first', permissions = 'rest', executes = 'after_--', enters = 'of=',
      accesses = { { access = 'write', of = 'second but_last', when = '-i', unless = '-n -q',
                     recursive = true } },
      recursive = '-r -R', cwd = '-C', hosts = 'first', takes_commands = true,
      runs = {
        { how = 'until', from = '-exec -ok', appends = true, ends_at_plus = true },
        { how = 'argv', skip = 1, assignments = true, shell_if_empty = true, when = '-x',
          unless = '-y' },
        { how = 'shell', from = '-o', strip_prefix = 'exec=' }, { how = 'file' },
        { how = 'code', from = '-c', language = 'python' },
      },
      single_dash_long = true, options_first = true, privileged = true, remote = true,
      decodes = '-d', prints = true, lists = true, filters = '-name',
      subcommands = { push = { hosts = 'first' }, ['remote add'] = { decodes = true } },
    },
    names = { lists = 'names' }, ['py*'] = {}, ['python3*'] = { runs = { { how = 'earlier' } } },
  },
  removing = 'rmtree',
  paths = { { name = 'keys', inside = true, entries = { '~/.ssh', '=/home', '!$TMP/x', '**/.git' } } },
  outputs = { pwd = '$PWD' },
})"));
  const command::ProgramSpec* found = tables.knowledge.find("all");
  REQUIRE(found != nullptr);
  const command::ProgramSpec& spec = *found;
  CHECK(spec.values == Texts{"-C", "--directory"});
  CHECK(spec.recursive == Texts{"-r", "-R"});
  CHECK(access_of(spec, AccessKind::kRead)->selectors[0].kind == Selector::Kind::kOperands);
  CHECK(access_of(spec, AccessKind::kRemove)->selectors[0].kind == Selector::Kind::kFirst);
  CHECK(access_of(spec, AccessKind::kPermission)->selectors[0].kind == Selector::Kind::kRest);
  CHECK(access_of(spec, AccessKind::kExecute)->selectors[0].kind == Selector::Kind::kAfterDashes);
  CHECK(access_of(spec, AccessKind::kEnter)->selectors[0].prefix == "of=");
  std::size_t writes = 0;
  for (const command::AccessSpec& each : spec.accesses) {
    if (each.kind != AccessKind::kWrite) continue;
    ++writes;
    REQUIRE(each.selectors.size() == 2);
    if (!each.recursive) {
      CHECK(each.selectors[0].kind == Selector::Kind::kLast);
      CHECK(each.selectors[1].options == Texts{"-o", "--output"});
      continue;
    }
    CHECK(each.selectors[0].kind == Selector::Kind::kSecond);
    CHECK(each.selectors[1].kind == Selector::Kind::kButLast);
    CHECK(each.when == Texts{"-i"});
    CHECK(each.unless == Texts{"-n", "-q"});
  }
  CHECK(writes == 2);
  CHECK(spec.cwd[0].options == Texts{"-C"});
  CHECK(spec.hosts[0].kind == Selector::Kind::kFirst);
  CHECK(spec.takes_commands);
  REQUIRE(spec.runs.size() == 5);
  CHECK(spec.runs[0].how == RunsSpec::How::kUntil);
  CHECK(spec.runs[0].from[0].options == Texts{"-exec", "-ok"});
  CHECK(spec.runs[0].appends);
  CHECK(spec.runs[0].ends_at_plus);
  CHECK(spec.runs[1].how == RunsSpec::How::kArgv);
  CHECK(spec.runs[1].skip == 1);
  CHECK(spec.runs[1].assignments);
  CHECK(spec.runs[1].shell_if_empty);
  CHECK(spec.runs[1].when == Texts{"-x"});
  CHECK(spec.runs[1].unless == Texts{"-y"});
  CHECK(spec.runs[2].strip_prefix == "exec=");
  CHECK(spec.runs[3].language == "shell");
  CHECK(spec.runs[4].language == "python");
  CHECK(spec.single_dash_long);
  CHECK(spec.options_first);
  CHECK(spec.privileged);
  CHECK(spec.remote);
  CHECK(spec.decodes);
  CHECK(spec.decodes_when == Texts{"-d"});
  CHECK(spec.prints);
  CHECK(spec.filters == std::vector<std::string>{"-name"});
  const command::ProgramSpec* versioned = tables.knowledge.find("python3.11");
  REQUIRE(versioned != nullptr);
  CHECK(versioned->runs[0].how == RunsSpec::How::kEarlier);
  CHECK(spec.lists);
  CHECK_FALSE(spec.lists_names);
  CHECK(tables.knowledge.find("names")->lists);
  CHECK(tables.knowledge.find("names")->lists_names);
  REQUIRE(spec.subcommands.size() == 2);
  CHECK(spec.subcommands.at("remote add")->decodes);
  CHECK(tables.knowledge.patterns[0].first == "python3*");  // the longer one comes first
  CHECK(re2::RE2::FullMatch("rmtree", *tables.knowledge.removing));
  CHECK(tables.knowledge.classes[0].inside);
  CHECK(tables.knowledge.classes[0].entries == Texts{"~/.ssh", "=/home", "!$TMP/x", "**/.git"});
  CHECK(tables.knowledge.outputs.at("pwd") == "$PWD");
}

TEST_CASE("every mistake in a program has its message") {
  PolicyTables tables;
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"vlaues = '-f'", "unknown key 'vlaues'; did you mean 'values'?"},
      {"values = 'f'", "values: 'f' is not an option: expected '-x' or '--name', without '='"},
      {"values = '--file='", "values: '--file=' is not an option"},
      {"reads = 'frist'", "reads: unknown selector 'frist'; did you mean 'first'?"},
      {"reads = 7", "reads: expected a string or a list of strings, got 7"},
      {"reads = '-o='", "reads: '-o=': an option is named without its '='"},
      {"accesses = { { access = 'read' } }", "accesses[1]: of is missing"},
      {"accesses = { { access = 'reed', of = 'first' } }", "did you mean 'read'?"},
      {"runs = { { how = 'shel' } }", "runs[1].how: unknown way to run 'shel'; did you mean"},
      {"runs = { { from = '-c' } }", "runs[1]: how is missing: expected a table { how = ... }"},
      {"runs = { { how = 'shell' } }", "from is missing: how 'shell' needs to know which words"},
      {"runs = { { how = 'until', from = 'first' } }", "how 'until' begins at a flag"},
      {"runs = { { how = 'code', from = '-c' } }", "language is missing"},
      {"runs = { { how = 'argv', skip = -1 } }", "skip: expected a whole number from 0 to 100"},
      {"runs = { { how = 'argv', optional = true } }", "unknown key 'optional'"},
      {"privileged = 1", "privileged: expected true or false, got 1"},
      {"decodes = 4", "decodes: expected a string or a list of strings, got 4"},
      {"subcommands = { a = { subcommands = {} } }",
       "tar.subcommands.a.subcommands: a subcommand has none of its own: write ['remote add']"},
      {"subcommands = { 'push' }", "expected a table of programs, got the key [1]"},
      {"}, ['a b'] = {", "programs.a b: is not the name of a program"},
  };
  for (const auto& [fields, message] : mistakes) {
    INFO(fields);
    const std::string faults = tables.program_faults(fields);
    CHECK_THAT(faults, Contains(message));
    CHECK_THAT(faults, Contains("/policies/rules.lua:1: programs."));
  }
}

TEST_CASE("every other mistake in the knowledge has its message") {
  PolicyTables tables;
  CHECK_FALSE(tables.read_knowledge(R"(
return {
  programms = {}, programs = {},
  removing = '(',
  paths = { { name = 'outside', entries = {} }, { name = 'a b', entries = { '/a//b' } },
    { name = 'x', entries = { 'etc', '/a/../b', '!!/a', '/a/**', '~user/x', 3 } },
    { name = 'x2', entries = { 'etc', '/a/../b', '!!/a', '/a/**', '~user/x' } }, { name = 'y' } },
  outputs = { pwd = 3 },
})"));
  for (const char* message :
       {":3: unknown key 'programms'; did you mean 'programs'?",
        ":4: removing: is not a valid RE2 pattern: missing ): (",
        ":5: paths[1]: name: there is a class 'outside' already",
        ":5: paths[2]: name: 'a b' must be one word", "paths[2]: '/a//b': must hold no '//'",
        "paths[3].entries[6]: expected a string, got 3",
        "paths[4]: 'etc': must begin with '/', '~/', a variable ($HOME) or '**/'",
        "paths[4]: '/a/../b': must hold no",
        "paths[4]: '!!/a': '!' and '=' may stand in front once",
        "paths[4]: '/a/**': '**' may stand only in front", "paths[4]: '~user/x': must begin with",
        "paths[5]: entries is missing", "outputs.pwd: expected a string, got 3"}) {
    CHECK_THAT(tables.faults, Contains(message));
  }
  CHECK_FALSE(tables.read_knowledge("return {}"));
  CHECK_THAT(tables.faults, Contains("programs is missing"));
}

TEST_CASE("a program with several names is read once, and one that contains itself is an error") {
  PolicyTables tables;
  REQUIRE(
      tables.read_knowledge("local p = {} return { programs = { a = p, b = p }, "
                            "paths = {} }"));
  CHECK(tables.knowledge.find("a") == tables.knowledge.find("b"));
  CHECK_FALSE(tables.read_knowledge(
      "local p = {} p.subcommands = { x = p } setmetatable(p, { __index = error })\n"
      "return { programs = { a = p }, paths = {} }"));
  CHECK_THAT(tables.faults, Contains("a subcommand has none of its own"));
}

TEST_CASE("too many path classes are refused") {
  PolicyTables tables;
  CHECK_FALSE(tables.read_knowledge(
      "local l = {} for i = 1, 27 do l[i] = { name = 'c' .. i, entries = {} } end\n"
      "return { programs = {}, paths = l }"));
  CHECK_THAT(tables.faults, Contains("paths[27]: more than 26 classes"));
}

TEST_CASE("unknown path variables are found, with their line") {
  PolicyTables tables;
  const std::string script = paths_script("'$HOME/a', '~/b', '!=$SCRIPTS/x',\n'$NOWHERE/c'");
  REQUIRE(tables.read_knowledge(script));
  const SourceIndex sources({{test::kPolicyFile, script, ""}});
  Faults faults(&sources);
  CHECK_FALSE(check_path_variables(tables.knowledge, {{"SCRIPTS", {}}}, &faults));
  REQUIRE(faults.count() == 1);
  CHECK_THAT(faults.text(), Contains("rules.lua:3: paths 'own': there is no variable in "
                                     "'$NOWHERE/c'; known are $CHANGED_BY_RUNS, $GIT_COMMON"));
}

TEST_CASE("one policy knows the paths of several places") {
  PolicyTables tables;
  REQUIRE(tables.read_knowledge(
      paths_script("'~/.ssh', '!~/.ssh/public', '$POLICIES', '=$WORKSPACE/Makefile', '$TMP/t', "
                   "'$RUNTIME', '$NOWHERE'")));
  tables.knowledge.classes[0].inside = true;
  const command::PathClasses own = 1U << command::kFirstOwnClass;
  const auto has = [own](const auto& map, const std::string& path) {
    command::PathClasses itself = 0;
    return (map->classify({path, false, false, false, ""}, &itself) & own) != 0;
  };
  command::Place place;
  place.workspace = "/workspace";
  place.home = "/home/user";
  const auto example = make_path_map(tables.knowledge, place, {});
  CHECK(has(example, "/home/user/.ssh/id"));
  CHECK_FALSE(has(example, "/home/user/.ssh/public/id"));
  CHECK(has(example, "/workspace/Makefile"));
  CHECK(has(example, "/var/tmp/t/x"));
  CHECK_FALSE(has(example, "/root/.ssh/id"));

  LastPathMap map;
  place.workspace = "/src";
  place.home = "/root";
  PathVariables variables = {{"POLICIES", {"/p", "/usr/share/p"}}, {"RUNTIME", {}}};
  const auto real = map.at(tables.knowledge, place, variables);
  CHECK(has(real, "/root/.ssh/id"));
  CHECK(has(real, "/usr/share/p/rules.lua"));
  CHECK(has(real, "/p"));
  CHECK(has(real, "/src/Makefile"));
  CHECK_FALSE(has(real, "/src/Makefile/x"));
  CHECK_FALSE(has(real, "/home/user/.ssh/id"));
  CHECK(map.at(tables.knowledge, place, variables) == real);
  variables["GIT_LINK"] = {"/src/.git"};
  CHECK(map.at(tables.knowledge, place, variables) != real);
}

}  // namespace
}  // namespace gibbous::lua
