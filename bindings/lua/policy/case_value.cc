#include "bindings/lua/policy/case_value.h"

#include <lua.hpp>
#include <sstream>
#include <utility>

#include "bindings/lua/policy/example_value.h"

namespace gibbous::lua {
namespace {

using rules::Decision;
using rules::Example;

constexpr char kCaseShape[] = "a case { name = ..., deny = { ... } }";
constexpr char kWorkspace[] = "/workspace";
constexpr char kHome[] = "/home/user";
constexpr char kShell[] = "bash";

struct CaseTable {
  PolicyCase shared;
  std::vector<Example> deny;
  std::vector<Example> ask;
  std::vector<Example> allow;
  std::vector<Example> asked_or_denied;
  std::vector<Example> not_denied;
  std::vector<Example> confined;
  std::vector<Example> not_free;
  std::vector<Example> inside;
  std::vector<Example> free;
};

using CaseField = TableReader::Field<TableReader, CaseTable>;

constexpr CaseField kCaseFields[] = {
    {"name", [](TableReader& r, CaseTable* out) { r.text(&out->shared.name); }, true},
    {"mode", [](TableReader& r, CaseTable* out) { r.text(&out->shared.mode); }},
    {"cwd", [](TableReader& r, CaseTable* out) { read_directory(r, &out->shared.cwd); }},
    {"workspace",
     [](TableReader& r, CaseTable* out) { read_directory(r, &out->shared.workspace); }},
    {"shell", [](TableReader& r, CaseTable* out) { r.text(&out->shared.shell); }},
    {"home", [](TableReader& r, CaseTable* out) { read_directory(r, &out->shared.home); }},
    {"deny", [](TableReader& r, CaseTable* out) { read_command_lines(r, &out->deny); }},
    {"ask", [](TableReader& r, CaseTable* out) { read_command_lines(r, &out->ask); }},
    {"allow", [](TableReader& r, CaseTable* out) { read_command_lines(r, &out->allow); }},
    {"asked_or_denied",
     [](TableReader& r, CaseTable* out) { read_command_lines(r, &out->asked_or_denied); }},
    {"not_denied", [](TableReader& r, CaseTable* out) { read_command_lines(r, &out->not_denied); }},
    {"confined", [](TableReader& r, CaseTable* out) { read_command_lines(r, &out->confined); }},
    {"not_free", [](TableReader& r, CaseTable* out) { read_command_lines(r, &out->not_free); }},
    {"inside", [](TableReader& r, CaseTable* out) { read_command_lines(r, &out->inside); }},
    {"free", [](TableReader& r, CaseTable* out) { read_command_lines(r, &out->free); }},
};

// Appends the cases of one table.
class CaseWriter {
 public:
  CaseWriter(const SourceIndex& sources, const PolicyCase& shared, std::vector<PolicyCase>* out)
      : sources_(sources), shared_(shared), out_(out) {}

  // In each of the modes of its table, separated by spaces.
  void add(const char* expectation, Decisions expected, const std::vector<Example>& lines) {
    std::istringstream modes(shared_.mode);
    for (std::string mode; modes >> mode;) add_in(mode, expectation, expected, lines);
  }

 private:
  void add_in(const std::string& mode, const char* expectation, Decisions expected,
              const std::vector<Example>& lines) {
    for (const Example& line : lines) {
      PolicyCase made = shared_;
      made.mode = mode;
      made.expectation = expectation;
      made.expected = expected;
      if (!line.cwd.empty()) made.cwd = line.cwd;
      if (!line.mode.empty()) made.mode = line.mode;
      made.command = line.command;
      made.argv = line.argv;
      if (!made.command.empty()) {
        const SourcePlace place = sources_.find(made.command, "", shared_.file, shared_.line);
        // A line that occurs in several tables is the one after this table's name.
        const bool here = place.file == shared_.file && place.line >= shared_.line;
        if (place.line != 0 && (here || shared_.line == 0)) {
          made.file = place.file;
          made.line = place.line;
        }
      }
      out_->push_back(std::move(made));
    }
  }

  const SourceIndex& sources_;
  const PolicyCase& shared_;
  std::vector<PolicyCase>* out_;
};

void read_case(TableReader& reader, std::vector<PolicyCase>* out) {
  CaseTable table;
  const std::string name = reader.peek_text("name");
  reader.name_item(name);
  const SourceIndex& sources = reader.faults().sources();
  const SourcePlace place = sources.find(name, "name", reader.file());
  reader.set_place(place);
  if (!TableReader::fields(reader, kCaseFields, kCaseShape, &table)) return;
  const std::size_t lines = table.deny.size() + table.ask.size() + table.allow.size() +
                            table.asked_or_denied.size() + table.not_denied.size() +
                            table.confined.size() + table.not_free.size() + table.inside.size() +
                            table.free.size();
  if (lines == 0) {
    return reader.fault(
        "must say what is expected: deny, ask, allow, free, inside, confined, asked_or_denied, "
        "not_denied or not_free, with command lines");
  }
  if (out->size() + lines > kMaxPolicyItems) {
    return reader.fault("more than " + std::to_string(kMaxPolicyItems) + " command lines in cases");
  }
  PolicyCase& shared = table.shared;
  shared.file = place.file;
  shared.line = place.line;
  if (shared.mode.empty()) shared.mode = kExampleMode;
  if (shared.workspace.empty()) shared.workspace = kWorkspace;
  if (shared.home.empty()) shared.home = kHome;
  if (shared.cwd.empty()) shared.cwd = shared.workspace;
  if (shared.shell.empty()) shared.shell = kShell;
  const Decisions deny = bit_of(Decision::kDeny);
  const Decisions ask = bit_of(Decision::kAsk);
  const Decisions free = bit_of(Decision::kAllow);
  const Decisions allow = free | kInside | kConfined;
  CaseWriter writer(sources, shared, out);
  writer.add("deny", deny, table.deny);
  writer.add("ask", ask, table.ask);
  writer.add("allow", allow, table.allow);
  writer.add("asked_or_denied", ask | deny, table.asked_or_denied);
  writer.add("not_denied", ask | allow, table.not_denied);
  writer.add("confined", kConfined, table.confined);
  writer.add("not_free", ask | deny | kInside | kConfined, table.not_free);
  writer.add("inside", kInside, table.inside);
  writer.add("free", free, table.free);
}

}  // namespace

bool read_cases(lua_State* state, int index, std::vector<PolicyCase>* out, Faults* faults) {
  TableReader reader(state, faults);
  lua_pushvalue(state, index);
  reader.items("cases", [&reader, out] { read_case(reader, out); });
  lua_pop(state, 1);
  return reader.good();
}

}  // namespace gibbous::lua
