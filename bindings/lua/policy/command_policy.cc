#include "bindings/lua/policy/command_policy.h"

#include <algorithm>
#include <lua.hpp>
#include <sstream>
#include <utility>

#include "bindings/lua/policy/facts_value.h"
#include "bindings/lua/policy/table_reader.h"
#include "bindings/lua/policy/word_reads.h"
#include "runtime/paths/real_paths.h"
#include "runtime/paths/walk.h"

namespace gibbous::lua {
namespace {

constexpr const char* kMadeExample = "/workspace/made_by_a_run";

// The places of examples and cases are invented: what is on this machine is not there, or verdicts
// would depend on where it is kept. A run has made a repository there.
PathVariables without_this_machine(PathVariables variables) {
  for (const char* name : {"HOME", "STATE", "CONFIG", "SCRIPTS", "POLICIES", "PATH", kCaches}) {
    variables.erase(name);
  }
  variables[kChangedByRuns] = {kMadeExample};
  return variables;
}

// The classes of paths were made without some links, so that a path may have more than it seems.
void doubt_gaps(const CommandRequest& request, command::Facts* facts) {
  using command::Doubt;
  if (!request.paths || !request.paths->has_gaps()) return;
  const auto is_said = [](const command::DoubtFact& doubt) {
    return doubt.doubt == Doubt::kUnansweredPath;
  };
  const bool accesses = std::any_of(facts->commands.begin(), facts->commands.end(),
                                    [](const auto& command) { return !command.accesses.empty(); });
  if (!accesses || std::any_of(facts->doubts.begin(), facts->doubts.end(), is_said)) return;
  facts->doubts.push_back({Doubt::kUnansweredPath, -1, 0, "a place that the policy protects"});
}

command::Facts analyse_at(const command::Place& place, const CommandRequest& request,
                          const command::Knowledge& knowledge) {
  command::Facts facts = request.line ? command::analyse(*request.line, place, knowledge)
                                      : command::analyse(request.argv, place, knowledge);
  doubt_gaps(request, &facts);
  return facts;
}

// Makes a function that resolves the hundreds of paths of one map.
decltype(command::Place::resolve) resolve_in_burst() {
  return [burst = std::make_shared<paths::RealPaths>()](const std::string& path) {
    return std::optional<std::string>(burst->real(path));
  };
}

// [root ...]: pushes the field of the root, or its result when it is a function. Raises.
void push_part(lua_State* state, int root, const char* name) {
  lua_getfield(state, root, name);
  if (lua_isfunction(state, -1)) lua_call(state, 0, 1);  // replaces the function
}

}  // namespace

bool CommandPolicy::read(lua_State* state, int index, const CommandPolicySource& source,
                         Faults* faults) {
  lua_pushvalue(state, index);  // [root]
  const int root = lua_gettop(state);
  push_part(state, root, "rules");
  push_part(state, root, "knowledge");
  if (!source.tested) {
    push_part(state, root, "cases");
  } else {
    lua_pushnil(state);
  }  // [root, rules, knowledge, cases]
  const int top = lua_gettop(state);
  bool good = true;
  const auto knowledge = std::make_shared<command::Knowledge>();
  knowledge_ = knowledge;
  if (!lua_isnil(state, top - 1)) {
    good = read_knowledge(state, top - 1, knowledge.get(), faults, source.tested);
  }
  RuleTables tables;
  if (good && !lua_isnil(state, top - 2)) {
    good = read_rules(state, top - 2, *knowledge, &tables, faults, source.tested);
    for (rules::Rule& rule : tables.rules) {
      const std::string& below = source.shipped_directory;
      rule.shipped = !below.empty() && rule.file.rfind(below + "/", 0) == 0;
    }
    if (good) {
      auto rules = rules::RuleSet::create(std::move(tables.rules), knowledge);
      if (rules) {
        rules_ = std::move(*rules);
      } else {
        std::istringstream lines(rules.status().message());
        for (std::string line; std::getline(lines, line);) faults->add({}, line);
        good = false;
      }
    }
    tests_ = std::move(tables.tests);
    origins_.resize(tests_.size());
  }
  if (!lua_isnil(state, top)) good = read_cases(state, top, &cases_, faults) && good;
  lua_settop(state, top - 4);
  return good;
}

void CommandPolicy::adopt(ReadPolicy read, BringTest bring, const BudgetLimits& limits) {
  knowledge_ = std::move(read.knowledge);
  rules_ = std::move(read.rules);
  origins_ = std::move(read.tests);
  tests_.resize(origins_.size());
  bring_ = std::move(bring);
  bring_limits_ = limits;
}

bool CommandPolicy::bring_tests(State& state, ScriptError* error) const {
  return !bring_ || state.protect(
                        bring_limits_,
                        [this](lua_State* lua) {
                          for (std::size_t test = 0; test < tests_.size(); ++test)
                            if (!tests_[test]) bring_(lua, test, &tests_);
                        },
                        error);
}

Status CommandPolicy::bring_test(State& state, std::size_t test) const {
  if (tests_[test]) return {};
  ScriptError error;
  const bool ran =
      bring_ && state.protect(
                    bring_limits_, [&](lua_State* lua) { bring_(lua, test, &tests_); }, &error);
  if (ran && tests_[test]) return {};
  if (ran) error.message = "the test of a rule is not what it was when the policy was read";
  return Status::error(error.code, error.text());
}

void CommandPolicy::find_tests(lua_State* state, const std::string& module) {
  if (!lua_istable(state, -1)) return;
  std::map<const void*, int> items;
  const auto count = static_cast<int>(std::min<std::size_t>(lua_objlen(state, -1), kMaxListItems));
  for (int item = 1; item <= count; ++item) {
    lua_rawgeti(state, -1, item);
    if (lua_istable(state, -1)) {
      lua_pushliteral(state, "test");
      lua_rawget(state, -2);
      if (lua_isfunction(state, -1)) items[lua_topointer(state, -1)] = item;
      lua_pop(state, 1);
    }
    lua_pop(state, 1);
  }
  for (std::size_t test = 0; test < tests_.size() && !items.empty(); ++test) {
    tests_[test].push(state);
    const auto found = items.find(lua_topointer(state, -1));
    lua_pop(state, 1);
    if (found != items.end()) origins_[test] = {module, found->second};
  }
}

command::Place CommandPolicy::place_of(const CommandRequest& request,
                                       const PathVariables& variables) {
  command::Place place;
  place.workspace = request.workspace;
  place.cwd = request.cwd.empty() ? request.workspace : request.cwd;
  place.home = request.home;
  place.set = request.env;
  place.logs = request.logs;
  place.done_bytes = request.typed_bytes;
  const auto take_shell = [&] {
    if (request.shell.empty()) place.sh = command::kAnyDialect;
    place.dialects = request.dialects != 0 ? request.dialects : place.sh;
    if (place.dialects == 0) place.dialects = command::dialects_of(request.shell, place.resolve);
    if (place.dialects == 0) place.dialects = command::kAnyDialect | command::kForeignShell;
  };
  if (!request.resolve) {
    take_shell();
    place.map = made_map_.at(*knowledge_, place, without_this_machine(variables));
    return place;
  }
  place.resolve = [paths = request.paths](const std::string& path) {
    return paths ? paths->real(path) : std::optional<std::string>(paths::real_path(path));
  };
  take_shell();
  place.list = [paths = request.paths](const std::string& path) {
    std::vector<command::DirectoryEntry> all;
    for (paths::Entry& each : paths ? paths->listed(path) : paths::entries(path, nullptr))
      all.push_back({std::move(each.name), each.link, each.directory});
    return all;
  };
  place.map = map_.at(*knowledge_, place, variables, request.paths ? nullptr : &resolve_in_burst);
  // It is made again when more is known.
  if (request.paths && (request.paths->has_missing() || request.paths->has_gaps())) map_.forget();
  return place;
}

void CommandPolicy::warm(const std::string& workspace, const std::string& home,
                         const PathVariables& variables) {
  CommandRequest request;
  request.workspace = workspace;
  request.home = home;
  (void)place_of(request, variables);
}

command::Facts CommandPolicy::analyse(const CommandRequest& request,
                                      const PathVariables& variables) {
  return analyse_at(place_of(request, variables), request, *knowledge_);
}

std::function<std::shared_ptr<PreparedJudgement>()> CommandPolicy::judge_beside(
    CommandRequest request, const PathVariables& variables) {
  command::Place place = place_of(request, variables);
  return [knowledge = std::shared_ptr<const command::Knowledge>(knowledge_), rules = rules_,
          place = std::move(place), request = std::move(request)] {
    auto judgement = std::make_shared<Judgement>();
    judgement->facts = analyse_at(place, request, *knowledge);
    bool asks_script = false;
    judgement->outcome = rules->judge(judgement->facts, [&](const auto&, const auto&, int) {
      asks_script = true;
      return rules::TestAnswer(false);
    });
    judgement->rules = rules;
    return std::make_shared<PreparedJudgement>(
        PreparedJudgement{std::move(judgement), !asks_script});
  };
}

command::Facts CommandPolicy::analyse(const command::TypedInput& typed,
                                      const CommandRequest& request,
                                      const PathVariables& variables) {
  return command::analyse(typed, place_of(request, variables), *knowledge_);
}

void CommandPolicy::add_readers(const command::Facts& facts,
                                std::vector<command::InputReader>* readers) const {
  const auto add = [readers](command::InputReader reader) {
    if (std::find(readers->begin(), readers->end(), reader) == readers->end())
      readers->push_back(std::move(reader));
  };
  for (const command::InputReader& reader : facts.readers) add(reader);
  for (const command::SimpleCommand& command : facts.commands) {
    const command::ProgramSpec* spec = knowledge_->find(command.program);
    if (spec == nullptr || !spec->takes_commands) continue;
    const auto reads = [&](const command::InputReader& reader) {
      return reader.program == command.program;
    };
    if (std::none_of(readers->begin(), readers->end(), reads)) add({command.program, ""});
  }
}

std::shared_ptr<const command::PathMap> CommandPolicy::example_map(const PathVariables& variables) {
  command::Place place;
  place.workspace = "/workspace";
  place.home = "/home/user";
  return made_map_.at(*knowledge_, place, without_this_machine(variables));
}

rules::TestFunction CommandPolicy::test_function(State& state, Nanos budget, std::string mode,
                                                 bool same_facts) const {
  struct Pushed {
    int command = -1;
    LuaRef table;
  };
  std::shared_ptr<Pushed> pushed = same_facts ? std::make_shared<Pushed>() : nullptr;
  return [this, &state, budget, mode = std::move(mode), pushed](
             const rules::Rule& rule, const command::Facts& facts,
             int command) -> Result<rules::TestAnswer> {
    if (Status status = bring_test(state, static_cast<std::size_t>(rule.test)); !status)
      return status;
    const BudgetLimits limits = judging_limits(budget);
    ScriptError error;
    bool matched = false;
    const bool ran = state.protect(
        limits,
        [&](lua_State* lua) {
          tests_[static_cast<std::size_t>(rule.test)].push(lua);
          if (pushed != nullptr && pushed->command == command) {
            pushed->table.push(lua);
          } else {
            push_command_facts(lua, facts, command, *knowledge_, mode.c_str());
            if (pushed != nullptr) {
              lua_pushvalue(lua, -1);
              pushed->table = LuaRef::take(lua);
              pushed->command = command;
            }
          }
          lua_call(lua, 1, 1);
          matched = lua_toboolean(lua, -1) != 0;
        },
        &error);
    if (!ran) return Status::error(error.code, error.text());
    const bool is_lenient = matched == (rule.decision == rules::Decision::kAllow);
    const command::SimpleCommand& judged = facts.subject(static_cast<std::size_t>(command));
    if (!is_lenient || rule.test_knows || first_unknown(judged).empty()) {
      return rules::TestAnswer(matched);
    }
    return rules::TestAnswer(matched, unknown_of_test(state, limits, rule, facts, command, mode));
  };
}

// Runs a test again to see which unknown word it looks at; "": none. What it cannot do with watched
// words, it does with all of them.
std::string CommandPolicy::unknown_of_test(State& state, const BudgetLimits& limits,
                                           const rules::Rule& rule, const command::Facts& facts,
                                           int command, const std::string& mode) const {
  const command::SimpleCommand& judged = facts.subject(static_cast<std::size_t>(command));
  std::string unknown;
  ScriptError error;
  const bool ran = state.protect(
      limits,
      [&](lua_State* lua) {
        push_command_facts(lua, facts, command, *knowledge_, mode.c_str());
        watch_words(lua);  // [facts, reads]
        tests_[static_cast<std::size_t>(rule.test)].push(lua);
        lua_pushvalue(lua, -3);
        lua_call(lua, 1, 0);
        unknown = read_unknown(lua);
      },
      &error);
  return ran ? unknown : first_unknown(judged);
}

rules::Outcome CommandPolicy::judge(State& state, Nanos budget, const command::Facts& facts,
                                    const std::string& mode,
                                    std::vector<rules::Step>* steps) const {
  return rules_->judge(facts, test_function(state, budget, mode, /*same_facts=*/true), steps);
}

}  // namespace gibbous::lua
