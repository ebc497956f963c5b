// Reads what a policy knows about programs: the table `programs` of its knowledge.
#include <algorithm>
#include <lua.hpp>
#include <map>
#include <utility>

#include "bindings/lua/policy/knowledge_reader.h"

namespace gibbous::lua {
namespace {

using command::ProgramSpec;
using command::RunsSpec;
using command::Selector;

constexpr std::size_t kMaxPrograms = 10'000;
constexpr int kMaxSkip = 100;
const std::vector<std::string> kHows = {"argv",  "until", "shell", "joined", "option",
                                        "stdin", "file",  "code",  "earlier"};

template <command::AccessKind kKind>
void access_of(KnowledgeReader& reader, ProgramSpec* out) {
  command::AccessSpec spec;
  spec.kind = kKind;
  reader.selectors(&spec.selectors);
  out->accesses.push_back(std::move(spec));
}

constexpr KnowledgeField<command::AccessSpec> kAccessFields[] = {
    {"access", [](KnowledgeReader& r, command::AccessSpec* out) { r.access(&out->kind); }, true},
    {"of", [](KnowledgeReader& r, command::AccessSpec* out) { r.selectors(&out->selectors); },
     true},
    {"when", [](KnowledgeReader& r, command::AccessSpec* out) { r.flags(&out->when); }},
    {"unless", [](KnowledgeReader& r, command::AccessSpec* out) { r.flags(&out->unless); }},
    {"recursive", [](KnowledgeReader& r, command::AccessSpec* out) { r.flag(&out->recursive); }},
};

void read_how(KnowledgeReader& reader, RunsSpec* out) {
  std::string word;
  if (!reader.text(&word)) return;
  const auto known = std::find(kHows.begin(), kHows.end(), word);
  if (known == kHows.end()) return reader.unknown("way to run", word, kHows);
  out->how = static_cast<RunsSpec::How>(known - kHows.begin());
}

void read_language(KnowledgeReader& reader, RunsSpec* out) {
  reader.text(&out->language);
}

constexpr KnowledgeField<RunsSpec> kRunsFields[] = {
    {"how", read_how, true},
    {"from", [](KnowledgeReader& r, RunsSpec* out) { r.selectors(&out->from); }},
    {"when", [](KnowledgeReader& r, RunsSpec* out) { r.flags(&out->when); }},
    {"unless", [](KnowledgeReader& r, RunsSpec* out) { r.flags(&out->unless); }},
    {"skip", [](KnowledgeReader& r, RunsSpec* out) { r.integer(0, kMaxSkip, &out->skip); }},
    {"ends_at_plus", [](KnowledgeReader& r, RunsSpec* out) { r.flag(&out->ends_at_plus); }},
    {"assignments", [](KnowledgeReader& r, RunsSpec* out) { r.flag(&out->assignments); }},
    {"appends", [](KnowledgeReader& r, RunsSpec* out) { r.flag(&out->appends); }},
    {"and_operands", [](KnowledgeReader& r, RunsSpec* out) { r.flag(&out->and_operands); }},
    {"shell_if_empty", [](KnowledgeReader& r, RunsSpec* out) { r.flag(&out->shell_if_empty); }},
    {"strip_prefix", [](KnowledgeReader& r, RunsSpec* out) { r.text(&out->strip_prefix); }},
    {"language", read_language},
};

void read_runs(KnowledgeReader& reader, ProgramSpec* out) {
  reader.each(kMaxListItems, [&] {
    RunsSpec runs;
    if (!TableReader::fields(reader, kRunsFields, "a table { how = ... }", &runs)) return;
    using How = RunsSpec::How;
    const How how = runs.how;
    const bool by_flag = how == How::kUntil || how == How::kOption;
    const bool selects = by_flag || how == How::kShell || how == How::kCode;
    const std::string word = "how '" + kHows[static_cast<std::size_t>(how)] + "'";
    if (selects && runs.from.empty()) {
      reader.fault("from is missing: " + word + " needs to know which words");
    }
    for (const Selector& selector : runs.from) {
      if (by_flag && selector.kind != Selector::Kind::kOptions) {
        reader.fault("from: " + word + " begins at a flag, such as '-c'");
      }
    }
    if (how == How::kCode && runs.language.empty()) {
      reader.fault("language is missing: " + word + " needs to know which");
    }
    const bool has_default = how == How::kFile || how == How::kStdin;
    if (has_default && runs.language.empty()) runs.language = kShellLanguage;
    out->runs.push_back(std::move(runs));
  });
}

void read_accesses(KnowledgeReader& reader, ProgramSpec* out) {
  reader.each(kMaxListItems, [&] {
    command::AccessSpec spec;
    TableReader::fields(reader, kAccessFields, "a table { access = ..., of = ... }", &spec);
    out->accesses.push_back(std::move(spec));
  });
}

void read_decodes(KnowledgeReader& reader, ProgramSpec* out) {
  if (lua_type(reader.state(), -1) == LUA_TBOOLEAN) {
    reader.flag(&out->decodes);
    return;
  }
  reader.flags(&out->decodes_when);
  out->decodes = true;
}

void read_lists(KnowledgeReader& reader, ProgramSpec* out) {
  if (lua_type(reader.state(), -1) == LUA_TBOOLEAN) {
    reader.flag(&out->lists);
    return;
  }
  std::string word;
  if (!reader.text(&word)) return;
  if (word != "names") return reader.expected("true, false or 'names'");
  out->lists = out->lists_names = true;
}

void read_values(KnowledgeReader& reader, ProgramSpec* out) {
  // `false` says explicitly that no option takes a value.
  if (lua_type(reader.state(), -1) == LUA_TSTRING && lua_objlen(reader.state(), -1) == 0) return;
  reader.flags(&out->values);
  for (const std::string& value : out->values) {
    const bool dashed = value.size() > 1 && (value.front() == '-' || value.front() == '+');
    if (dashed && value.find('=') == std::string::npos) continue;
    reader.fault("'" + value + "' is not an option: expected '-x' or '--name', without '='", value);
  }
}

void read_subcommands(KnowledgeReader& reader, ProgramSpec* out);

using Kind = command::AccessKind;
constexpr KnowledgeField<ProgramSpec> kProgramFields[] = {
    {"values", read_values},
    {"reads", access_of<Kind::kRead>},
    {"writes", access_of<Kind::kWrite>},
    {"removes", access_of<Kind::kRemove>},
    {"permissions", access_of<Kind::kPermission>},
    {"executes", access_of<Kind::kExecute>},
    {"enters", access_of<Kind::kEnter>},
    {"accesses", read_accesses},
    {"recursive", [](KnowledgeReader& r, ProgramSpec* out) { r.flags(&out->recursive); }},
    {"filters", [](KnowledgeReader& r, ProgramSpec* out) { r.flags(&out->filters); }},
    {"runs", read_runs},
    {"takes_commands", [](KnowledgeReader& r, ProgramSpec* out) { r.flag(&out->takes_commands); }},
    {"cwd", [](KnowledgeReader& r, ProgramSpec* out) { r.selectors(&out->cwd); }},
    {"hosts", [](KnowledgeReader& r, ProgramSpec* out) { r.selectors(&out->hosts); }},
    {"single_dash_long",
     [](KnowledgeReader& r, ProgramSpec* out) { r.flag(&out->single_dash_long); }},
    {"options_first", [](KnowledgeReader& r, ProgramSpec* out) { r.flag(&out->options_first); }},
    {"privileged", [](KnowledgeReader& r, ProgramSpec* out) { r.flag(&out->privileged); }},
    {"remote", [](KnowledgeReader& r, ProgramSpec* out) { r.flag(&out->remote); }},
    {"decodes", read_decodes},
    {"takes_paths", [](KnowledgeReader& r, ProgramSpec* out) { r.flags(&out->takes_paths); }},
    {"text", [](KnowledgeReader& r, ProgramSpec* out) { r.selectors(&out->text); }},
    {"prints", [](KnowledgeReader& r, ProgramSpec* out) { r.flag(&out->prints); }},
    {"lists", read_lists},
    {"subcommands", read_subcommands},
};

std::shared_ptr<const ProgramSpec> read_program(KnowledgeReader& reader) {
  auto spec = std::make_shared<ProgramSpec>();
  TableReader::fields(reader, kProgramFields, "a table of what is known of a program", spec.get());
  // Tables have no order; rules and logs need one.
  std::stable_sort(spec->accesses.begin(), spec->accesses.end(),
                   [](const auto& left, const auto& right) { return left.kind < right.kind; });
  return spec;
}

// One level deep; deeper ones are written in words.
void read_subcommands(KnowledgeReader& reader, ProgramSpec* out) {
  if (reader.is_subcommand) {
    reader.fault("a subcommand has none of its own: write ['remote add'] beside ['remote']",
                 "subcommands", true);
    return;
  }
  reader.is_subcommand = true;
  reader.each_key(kMaxListItems, "a table of programs", [&](const std::string& words) {
    const TableReader::Step step(reader, words);
    out->subcommands[words] = read_program(reader);
  });
  reader.is_subcommand = false;
}

}  // namespace

void read_programs(KnowledgeReader& reader, command::Knowledge* out) {
  const std::string outer = reader.file();
  reader.enter_file();
  const std::string file = reader.file();
  std::map<const void*, std::shared_ptr<const ProgramSpec>> read;
  reader.each_key(kMaxPrograms, "a table of programs by their names", [&](const std::string& name) {
    const TableReader::Step step(reader, name);
    if (!reader.tested()) reader.enter_file();
    reader.set_place_key(name);
    if (name.find_first_of(" \t\n/") != std::string::npos) {
      reader.fault("is not the name of a program: no blanks, no '/'", name, true);
    }
    // Several names may share one table.
    auto& spec = read[lua_topointer(reader.state(), -1)];
    if (spec == nullptr) {
      const std::size_t first = reader.faults().count();
      spec = read_program(reader);
      reader.faults().sort_from(first);
    }
    if (name.find_first_of("*?") == std::string::npos) {
      out->programs[name] = spec;
    } else {
      out->patterns.emplace_back(name, spec);
    }
    reader.set_place_key("");
    reader.restore_file(file);
    reader.charge();
  });
  reader.restore_file(outer);
  // The longest pattern takes precedence.
  std::sort(out->patterns.begin(), out->patterns.end(), [](const auto& left, const auto& right) {
    const std::size_t sizes[] = {left.first.size(), right.first.size()};
    return sizes[0] != sizes[1] ? sizes[0] > sizes[1] : left.first < right.first;
  });
}

}  // namespace gibbous::lua
