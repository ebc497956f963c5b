#include "bindings/lua/policy/case_value.h"

#include <lua.hpp>
#include <sstream>
#include <utility>

#include "bindings/lua/policy/table_reader.h"

namespace gibbous::lua {
namespace {

using rules::Decision;
using rules::Example;

constexpr char kCaseShape[] = "a case { name = ..., deny = { ... } }";
constexpr char kWorkspace[] = "/workspace";
constexpr char kHome[] = "/home/user";
constexpr char kShell[] = "bash";

constexpr Decisions kDenied = bit_of(Decision::kDeny);
constexpr Decisions kAsked = bit_of(Decision::kAsk);
constexpr Decisions kFree = bit_of(Decision::kAllow);
constexpr Decisions kAllowed = kFree | kInside | kConfined;

struct Expectation {
  const char* name;
  Decisions expected;
};
constexpr Expectation kExpectations[] = {
    {"deny", kDenied},
    {"ask", kAsked},
    {"allow", kAllowed},
    {"asked_or_denied", kAsked | kDenied},
    {"not_denied", kAsked | kAllowed},
    {"confined", kConfined},
    {"not_free", kAsked | kDenied | kInside | kConfined},
    {"inside", kInside},
    {"free", kFree},
};

struct CaseTable {
  PolicyCase shared;
  std::vector<Example> lines[std::size(kExpectations)];
};

using CaseField = TableReader::Field<TableReader, CaseTable>;

template <std::size_t kAt>
constexpr CaseField lines_of() {
  return {kExpectations[kAt].name,
          [](TableReader& r, CaseTable* out) { r.command_lines(&out->lines[kAt]); }};
}

constexpr CaseField kCaseFields[] = {
    {"name", [](TableReader& r, CaseTable* out) { r.text(&out->shared.name); }, true},
    {"mode", [](TableReader& r, CaseTable* out) { r.text(&out->shared.mode); }},
    {"cwd", [](TableReader& r, CaseTable* out) { r.directory(&out->shared.cwd); }},
    {"workspace", [](TableReader& r, CaseTable* out) { r.directory(&out->shared.workspace); }},
    {"shell", [](TableReader& r, CaseTable* out) { r.text(&out->shared.shell); }},
    {"home", [](TableReader& r, CaseTable* out) { r.directory(&out->shared.home); }},
    lines_of<0>(),
    lines_of<1>(),
    lines_of<2>(),
    lines_of<3>(),
    lines_of<4>(),
    lines_of<5>(),
    lines_of<6>(),
    lines_of<7>(),
    lines_of<8>(),
};

// Appends the cases of one line, in each of the modes of its table, separated by spaces.
void add_cases(const SourceIndex& sources, const PolicyCase& shared, const Example& line,
               std::vector<PolicyCase>* out) {
  PolicyCase made = shared;
  if (!line.cwd.empty()) made.cwd = line.cwd;
  made.command = line.command;
  made.argv = line.argv;
  if (!made.command.empty()) {
    const SourcePlace place = sources.find(made.command, "", shared.file, shared.line);
    // A line that occurs in several tables is the one after this table's name.
    const bool here = place.file == shared.file && place.line >= shared.line;
    if (place.line != 0 && (here || shared.line == 0)) {
      made.file = place.file;
      made.line = place.line;
    }
  }
  std::istringstream modes(shared.mode);
  for (std::string mode; modes >> mode;) {
    made.mode = line.mode.empty() ? mode : line.mode;
    out->push_back(made);
  }
}

void read_case(TableReader& reader, std::vector<PolicyCase>* out) {
  CaseTable table;
  const std::string name = reader.peek_text("name");
  reader.name_item(name);
  const SourceIndex& sources = reader.faults().sources();
  const SourcePlace place = sources.find(name, "name", reader.file());
  reader.set_place(place);
  if (!TableReader::fields(reader, kCaseFields, kCaseShape, &table)) return;
  std::size_t lines = 0;
  for (const auto& each : table.lines) lines += each.size();
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
  for (std::size_t at = 0; at < std::size(kExpectations); ++at) {
    shared.expectation = kExpectations[at].name;
    shared.expected = kExpectations[at].expected;
    for (const Example& line : table.lines[at]) add_cases(sources, shared, line, out);
  }
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
