#include "bindings/lua/policy/rule_value.h"

#include <algorithm>
#include <cctype>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/policy/table_reader.h"

namespace gibbous::lua {
namespace {

using rules::Rule;

constexpr std::size_t kMaxIdBytes = 128;
constexpr int kMaxOperands = 1'000'000;
constexpr char kRuleShape[] = "a rule { id = ..., decision = ..., match = { ... } }";

class RuleReader : public TableReader {
 public:
  RuleReader(lua_State* state, Faults* faults, const command::Knowledge& knowledge,
             RuleTables* tables, bool tested)
      : TableReader(state, faults), knowledge_(knowledge), tables_(tables), tested_(tested) {}

  void rule();

  void id(Rule* out);
  void decision(Rule* out);
  void flag_sets(std::vector<std::vector<std::string>>* out);
  void options(std::vector<rules::OptionCondition>* out);
  void classes(command::PathClasses* out);
  void only_true(bool* out) {
    if (flag(out) && !*out) expected("true, or nothing");
  }
  void test(Rule* out);
  void unknown_words(Rule* out);
  void examples(std::vector<rules::Example>* out) {
    if (!tested_) command_lines(out);
  }

 private:
  void locate(Rule* out);

  const command::Knowledge& knowledge_;
  RuleTables* tables_;
  const bool tested_;
};

using RuleField = TableReader::Field<RuleReader, Rule>;

constexpr RuleField kRuleFields[] = {
    {"id", [](RuleReader& r, Rule* out) { r.id(out); }, true},
    {"decision", [](RuleReader& r, Rule* out) { r.decision(out); }, true},
    {"reason", [](RuleReader& r, Rule* out) { r.text(&out->reason); }},
    {"program", [](RuleReader& r, Rule* out) { r.patterns(&out->programs, true); }},
    {"subcommand", [](RuleReader& r, Rule* out) { r.patterns(&out->subcommands, true); }},
    {"flags", [](RuleReader& r, Rule* out) { r.flag_sets(&out->flags); }},
    {"without_flags", [](RuleReader& r, Rule* out) { r.words(&out->without_flags, true); }},
    {"option", [](RuleReader& r, Rule* out) { r.options(&out->options); }},
    {"argument", [](RuleReader& r, Rule* out) { r.patterns(&out->arguments, false); }},
    {"not_argument", [](RuleReader& r, Rule* out) { r.patterns(&out->not_arguments, false); }},
    {"operand", [](RuleReader& r, Rule* out) { r.patterns(&out->operands, false); }},
    {"max_operands",
     [](RuleReader& r, Rule* out) {
       int most = 0;
       if (r.integer(0, kMaxOperands, &most)) out->max_operands = most;
     }},
    {"access", [](RuleReader& r, Rule* out) { r.all_of("access", kAccessKinds, &out->access); }},
    {"path", [](RuleReader& r, Rule* out) { r.classes(&out->paths); }},
    {"not_path", [](RuleReader& r, Rule* out) { r.classes(&out->not_paths); }},
    {"recursive", [](RuleReader& r, Rule* out) { r.flag(&out->recursive); }},
    {"redirection", [](RuleReader& r, Rule* out) { r.flag(&out->redirection); }},
    {"doubt", [](RuleReader& r, Rule* out) { r.all_of("doubt", command::kDoubts, &out->doubts); }},
    {"detail", [](RuleReader& r, Rule* out) { r.patterns(&out->doubt_details, false); }},
    {"within", [](RuleReader& r, Rule* out) { r.patterns(&out->within, false); }},
    {"fed_by", [](RuleReader& r, Rule* out) { r.patterns(&out->fed_by, false); }},
    {"feeds", [](RuleReader& r, Rule* out) { r.patterns(&out->feeds, false); }},
    {"host", [](RuleReader& r, Rule* out) { r.patterns(&out->hosts, false); }},
    {"not_host", [](RuleReader& r, Rule* out) { r.patterns(&out->not_hosts, false); }},
    {"privileged", [](RuleReader& r, Rule* out) { r.flag(&out->privileged); }},
    {"remote", [](RuleReader& r, Rule* out) { r.flag(&out->remote); }},
    {"computed", [](RuleReader& r, Rule* out) { r.only_true(&out->computed); }},
    {"computed_input", [](RuleReader& r, Rule* out) { r.only_true(&out->computed_input); }},
    {"leaves", [](RuleReader& r, Rule* out) { r.only_true(&out->leaves); }},
    {"reads", [](RuleReader& r, Rule* out) { r.only_true(&out->reads); }},
    {"test", [](RuleReader& r, Rule* out) { r.test(out); }},
    {"unknown", [](RuleReader& r, Rule* out) { r.unknown_words(out); }},
    {"match", [](RuleReader& r, Rule* out) { r.examples(&out->match); }, true},
    {"not_match", [](RuleReader& r, Rule* out) { r.examples(&out->not_match); }},
};

void RuleReader::rule() {
  Rule rule;
  rule.id = peek_text("id");
  name_item(rule.id);
  locate(&rule);
  if (fields(*this, kRuleFields, kRuleShape, &rule)) {
    const bool needs_reason = rule.decision != rules::Decision::kAllow;
    if (needs_reason && rule.reason.empty()) {
      fault("reason is missing: a sentence for a person that says what to do instead");
    }
    if (!tested_ && rule.match.empty()) fault("match: must hold a line that the rule matches");
  }
  tables_->rules.push_back(std::move(rule));
}

void RuleReader::locate(Rule* out) {
  out->file = file();
  locate_rule(out, faults().sources());
  set_place({out->file, out->line});
}

void RuleReader::id(Rule* out) {
  if (!text(&out->id)) return;
  const bool plain = std::all_of(out->id.begin(), out->id.end(), [](unsigned char byte) {
    return std::isalnum(byte) != 0 || byte == '_' || byte == '.' || byte == '-';
  });
  if (plain && out->id.size() <= kMaxIdBytes) return;
  expected("1 to " + std::to_string(kMaxIdBytes) + " letters, digits, '_', '-' and '.'");
}

void RuleReader::decision(Rule* out) {
  std::string word;
  if (text(&word)) (void)one_of("decision", word, kDecisions, &out->decision);
}

// A string is one set of alternatives; in a list, each string is a set.
void RuleReader::flag_sets(std::vector<std::vector<std::string>>* out) {
  std::vector<std::string> set;
  if (lua_type(state(), -1) == LUA_TSTRING) {
    if (words(&set)) out->push_back(std::move(set));
    return;
  }
  if (lua_type(state(), -1) != LUA_TTABLE) return expected("a string or a list of strings");
  each(kMaxListItems, [&] {
    set.clear();
    if (lua_type(state(), -1) != LUA_TSTRING) return expected("a string");
    if (words(&set)) out->push_back(set);
  });
}

// The keys are sets of alternatives, too.
void RuleReader::options(std::vector<rules::OptionCondition>* out) {
  constexpr char kShape[] = "a table { ['-c --context'] = { 'prod-*' } }";
  if (lua_type(state(), -1) == LUA_TTABLE && is_list()) return expected(kShape);
  each_key(kMaxListItems, kShape, [&](const std::string& names) {
    const Step step(*this, "[\"" + names + "\"]");
    rules::OptionCondition wanted;
    split_words(names, &wanted.names);
    if (patterns(&wanted.values, true)) out->push_back(std::move(wanted));
  });
  // The order of a table's keys differs from run to run.
  std::sort(out->begin(), out->end(),
            [](const auto& left, const auto& right) { return left.names < right.names; });
}

void RuleReader::classes(command::PathClasses* out) {
  std::vector<std::string> written;
  if (!words(&written)) return;
  for (const std::string& word : written) {
    const command::PathClasses bit = knowledge_.class_bit(word);
    if (bit == 0) unknown("path class", word, knowledge_.class_names(~command::PathClasses{0}));
    *out |= bit;
  }
}

void RuleReader::test(Rule* out) {
  if (lua_type(state(), -1) != LUA_TFUNCTION) return expected("a function");
  lua_pushvalue(state(), -1);
  if (out->line == 0 && lua_iscfunction(state(), -1) == 0) {
    lua_Debug info;
    lua_pushvalue(state(), -1);
    lua_getinfo(state(), ">S", &info);
    const bool here = out->file.empty() || out->file == info.source + 1;
    if (info.source[0] == '@' && here) {
      out->file = info.source + 1;
      out->line = info.linedefined;
      set_place({out->file, out->line});
    }
  }
  out->test = static_cast<int>(tables_->tests.size());
  tables_->tests.push_back(LuaRef::take(state()));
}

void RuleReader::unknown_words(Rule* out) {
  std::string word;
  if (!text(&word)) return;
  out->test_knows = word == "tested";
  if (!out->test_knows && word != "stricter") expected("'stricter' or 'tested'");
}

}  // namespace

bool read_rules(lua_State* state, int index, const command::Knowledge& knowledge, RuleTables* out,
                Faults* faults, bool tested) {
  RuleReader reader(state, faults, knowledge, out, tested);
  lua_pushvalue(state, index);
  reader.items("rules", [&reader] { reader.rule(); });
  lua_pop(state, 1);
  return reader.good();
}

void locate_rule(Rule* rule, const SourceIndex& sources) {
  SourcePlace place = sources.find(rule->id, "id", rule->file);
  if (place.line == 0) place = sources.find(rule->id, "", rule->file);  // rule('x.y', { ... })
  if (place.line == 0) return;
  rule->file = place.file;
  rule->line = place.line;
}

}  // namespace gibbous::lua
