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
          [](TableReader& r, CaseTable* out) { read_command_lines(r, &out->lines[kAt]); }};
}

constexpr CaseField kCaseFields[] = {
    {"name", [](TableReader& r, CaseTable* out) { r.text(&out->shared.name); }, true},
    {"mode", [](TableReader& r, CaseTable* out) { r.text(&out->shared.mode); }},
    {"cwd", [](TableReader& r, CaseTable* out) { read_directory(r, &out->shared.cwd); }},
    {"workspace",
     [](TableReader& r, CaseTable* out) { read_directory(r, &out->shared.workspace); }},
    {"shell", [](TableReader& r, CaseTable* out) { r.text(&out->shared.shell); }},
    {"home", [](TableReader& r, CaseTable* out) { read_directory(r, &out->shared.home); }},
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
  CaseWriter writer(sources, shared, out);
  for (std::size_t at = 0; at < std::size(kExpectations); ++at)
    writer.add(kExpectations[at].name, kExpectations[at].expected, table.lines[at]);
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
