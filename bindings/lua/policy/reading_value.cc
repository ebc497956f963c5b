// Reads what a policy knows to read: the table `reading` of its knowledge.
#include <algorithm>
#include <lua.hpp>
#include <map>
#include <set>

#include "bindings/lua/policy/knowledge_reader.h"

namespace gibbous::lua {
namespace {

using command::ReadingSpec;

constexpr std::size_t kMaxReading = 10'000;
constexpr int kMaxReadingOperands = 1000;

// Options become " -a --all ", to be searched as they are.
void read_options(KnowledgeReader& reader, std::string* out) {
  std::string written;
  if (!reader.any_text(&written)) return;
  std::replace(written.begin(), written.end(), '\n', ' ');
  *out = " " + written + " ";
}

// Words, or a list, in which a glob may hold spaces. An empty list fits nothing.
void read_globs(KnowledgeReader& reader, std::vector<std::string>* out) {
  if (lua_istable(reader.state(), -1)) {
    reader.texts(out);
  } else {
    reader.words(out);
  }
}

void read_only(KnowledgeReader& reader, ReadingSpec* out) {
  reader.each_key(kMaxListItems, "a table of globs by options", [&](const std::string& options) {
    const TableReader::Step step(reader, options);
    ReadingSpec::Only only;
    only.options = " " + options + " ";
    read_globs(reader, &only.globs);
    out->only.push_back(std::move(only));
  });
}

void read_reading_subcommands(KnowledgeReader& reader, ReadingSpec* out);

constexpr KnowledgeField<ReadingSpec> kReadingFields[] = {
    {"flags", [](KnowledgeReader& r, ReadingSpec* out) { read_options(r, &out->flags); }},
    {"values", [](KnowledgeReader& r, ReadingSpec* out) { read_options(r, &out->values); }},
    {"attached", [](KnowledgeReader& r, ReadingSpec* out) { read_options(r, &out->attached); }},
    {"only", read_only},
    {"operands", [](KnowledgeReader& r,
                    ReadingSpec* out) { r.integer(0, kMaxReadingOperands, &out->most_operands); }},
    {"operand", [](KnowledgeReader& r, ReadingSpec* out) { read_globs(r, &out->operand); }},
    {"not_operand", [](KnowledgeReader& r, ReadingSpec* out) { read_globs(r, &out->not_operand); }},
    {"needs", [](KnowledgeReader& r, ReadingSpec* out) { read_options(r, &out->needs); }},
    {"needs_for_operands",
     [](KnowledgeReader& r, ReadingSpec* out) { read_options(r, &out->needs_for_operands); }},
    {"single_dash_long",
     [](KnowledgeReader& r, ReadingSpec* out) { r.flag(&out->single_dash_long); }},
    {"options_first", [](KnowledgeReader& r, ReadingSpec* out) { r.flag(&out->options_first); }},
    {"plus", [](KnowledgeReader& r, ReadingSpec* out) { r.flag(&out->plus); }},
    {"digits", [](KnowledgeReader& r, ReadingSpec* out) { r.flag(&out->digits); }},
    {"any_words", [](KnowledgeReader& r, ReadingSpec* out) { r.flag(&out->any_words); }},
    {"alone", [](KnowledgeReader& r, ReadingSpec* out) { r.flag(&out->alone); }},
    {"sets_variables", [](KnowledgeReader& r, ReadingSpec* out) { r.flag(&out->sets_variables); }},
    {"own_options", [](KnowledgeReader& r, ReadingSpec* out) { r.flag(&out->own_options); }},
    {"subcommands", read_reading_subcommands},
};

// Calls `word` with each option of a list.
template <typename Function>
void each_option(const std::string& options, const Function& word) {
  std::size_t at = 0;
  while ((at = options.find_first_not_of(' ', at)) != std::string::npos) {
    const std::size_t end = options.find(' ', at);
    word(options.substr(at, end - at));
    at = end;
  }
}

// An option that is listed twice has two meanings; one that is only required can never be there.
void check_options(KnowledgeReader& reader, const ReadingSpec& spec) {
  std::set<std::string> listed;
  for (const std::string* list : {&spec.flags, &spec.values, &spec.attached}) {
    each_option(*list, [&](const std::string& option) {
      const bool dashed = option.size() > 1 && (option.front() == '-' || option.front() == '+');
      if (!dashed || option.find('=') != std::string::npos) {
        reader.fault("'" + option + "' is not an option: expected '-x' or '--name', without '='",
                     option);
      } else if (!listed.insert(option).second) {
        reader.fault("the option '" + option + "' is listed twice", option);
      }
    });
  }
  const auto check = [&](const std::string& options, const char* field) {
    each_option(options, [&](const std::string& option) {
      if (listed.count(option) > 0) return;
      reader.fault(std::string(field) + ": the option '" + option + "' is not listed", option);
    });
  };
  check(spec.needs, "needs");
  check(spec.needs_for_operands, "needs_for_operands");
  for (const ReadingSpec::Only& only : spec.only) check(only.options, "only");
}

std::shared_ptr<const ReadingSpec> read_spec(KnowledgeReader& reader) {
  auto spec = std::make_shared<ReadingSpec>();
  if (lua_type(reader.state(), -1) == LUA_TSTRING) {
    read_options(reader, &spec->flags);
  } else {
    TableReader::fields(reader, kReadingFields, "a string of options, or a table of what may stand",
                        spec.get());
  }
  if (!reader.tested()) check_options(reader, *spec);
  return spec;
}

void read_reading_subcommands(KnowledgeReader& reader, ReadingSpec* out) {
  if (reader.is_subcommand) {
    reader.fault("a subcommand has none of its own: write ['remote show'] beside ['remote']",
                 "subcommands", true);
    return;
  }
  reader.is_subcommand = true;
  std::map<const void*, std::shared_ptr<const ReadingSpec>> read;
  reader.each_key(kMaxListItems, "a table by subcommand", [&](const std::string& words) {
    const TableReader::Step step(reader, words);
    std::shared_ptr<const ReadingSpec> spec;
    auto& known = lua_istable(reader.state(), -1) ? read[lua_topointer(reader.state(), -1)] : spec;
    if (known == nullptr) known = read_spec(reader);
    out->subcommands[words] = known;
  });
  reader.is_subcommand = false;
}

}  // namespace

void read_reading(KnowledgeReader& reader, command::Knowledge* out) {
  const std::string outer = reader.file();
  reader.enter_file();
  std::map<const void*, std::shared_ptr<const ReadingSpec>> read;
  reader.each_key(kMaxReading, "a table of programs by their names", [&](const std::string& name) {
    const TableReader::Step step(reader, name);
    std::shared_ptr<const ReadingSpec> spec;
    // Several names may share one table.
    auto& known = lua_istable(reader.state(), -1) ? read[lua_topointer(reader.state(), -1)] : spec;
    if (known == nullptr) known = read_spec(reader);
    out->reading[name] = known;
    reader.charge();
  });
  reader.restore_file(outer);
}

void read_reading_variables(KnowledgeReader& reader, command::Knowledge* out) {
  using Variables = command::ReadingVariables;
  static constexpr KnowledgeField<Variables> kFields[] = {
      {"harmless", [](KnowledgeReader& r, Variables* to) { r.words(&to->harmless); }},
      {"configuring", [](KnowledgeReader& r, Variables* to) { r.words(&to->configuring); }},
  };
  TableReader::fields(reader, kFields, "a table { harmless = ..., configuring = ... }",
                      &out->reading_variables);
}

void check_reading(KnowledgeReader& reader, const command::Knowledge& knowledge) {
  for (const auto& [name, spec] : knowledge.reading.whole()) {
    if (knowledge.find(name) != nullptr) continue;
    reader.fault("reading: '" + name + "' needs a table in `programs`, too", name, true);
  }
}

}  // namespace gibbous::lua
