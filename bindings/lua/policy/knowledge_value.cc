#include "bindings/lua/policy/knowledge_value.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/policy/knowledge_reader.h"

namespace gibbous::lua {
namespace {

using command::Selector;

constexpr std::size_t kMaxOwnClasses = 32 - command::kFirstOwnClass;  // bits of PathClasses
// In the order of Selector::Kind.
const std::vector<std::string> kSelectors = {"operands", "first",    "second",   "rest",
                                             "last",     "but_last", "after_--", "here",
                                             "words",    "url_names"};
// Checks an entry as written; its meaning depends on the place.
void check_entry(KnowledgeReader& reader, const std::string& entry) {
  const auto wrong = [&](const std::string& why) {
    reader.fault("'" + entry.substr(0, 200) + "': " + why, entry);
  };
  const std::size_t begin = entry.find_first_not_of("!=");
  const std::string path = begin == std::string::npos ? "" : entry.substr(begin);
  const std::string marks = entry.substr(0, std::min(begin, entry.size()));
  if (std::count(marks.begin(), marks.end(), '!') > 1 ||
      std::count(marks.begin(), marks.end(), '=') > 1) {
    return wrong("'!' and '=' may stand in front once each");
  }
  const bool anywhere = path.rfind("**/", 0) == 0 && path.size() > 3;
  const bool begins = anywhere || path.rfind('/', 0) == 0 || path == "~" ||
                      path.rfind("~/", 0) == 0 || (path.size() > 1 && path.front() == '$');
  if (!begins) return wrong("must begin with '/', '~/', a variable ($HOME) or '**/'");
  if (path.find("**", anywhere ? 2 : 0) != std::string::npos) {
    return wrong("'**' may stand only in front; an entry covers everything below it anyway");
  }
  const std::string whole = path + "/";
  if (whole.find("/./") != std::string::npos || whole.find("/../") != std::string::npos ||
      whole.find("//") < whole.size() - 2) {
    return wrong("must hold no '//', '.' or '..'");
  }
}

constexpr KnowledgeField<command::PathClassSpec> kPathClassFields[] = {
    {"name", [](KnowledgeReader& r, command::PathClassSpec* out) { r.text(&out->name); }, true},
    {"inside", [](KnowledgeReader& r, command::PathClassSpec* out) { r.flag(&out->inside); }},
    {"named", [](KnowledgeReader& r, command::PathClassSpec* out) { r.flag(&out->named); }},
    {"entered", [](KnowledgeReader& r, command::PathClassSpec* out) { r.flag(&out->entered); }},
    {"entries", [](KnowledgeReader& r, command::PathClassSpec* out) { r.texts(&out->entries); },
     true},
};

void read_paths(KnowledgeReader& reader, command::Knowledge* out) {
  const std::string outer = reader.file();
  reader.enter_file();
  reader.each(kMaxListItems, [&] {
    command::PathClassSpec spec;
    if (!TableReader::fields(reader, kPathClassFields, "a table { name = ..., entries = ... }",
                             &spec)) {
      return;
    }
    if (out->class_bit(spec.name) != 0) {
      reader.fault("name: there is a class '" + spec.name + "' already", spec.name);
    }
    if (spec.name.find_first_of(" \t\n") != std::string::npos) {
      reader.fault("name: '" + spec.name + "' must be one word", spec.name);
    }
    for (const std::string& entry : spec.entries) check_entry(reader, entry);
    if (out->classes.size() >= kMaxOwnClasses) {
      reader.fault("more than " + std::to_string(kMaxOwnClasses) + " classes");
    } else {
      out->classes.push_back(std::move(spec));
    }
    reader.charge();
  });
  reader.restore_file(outer);
}

void read_outputs(KnowledgeReader& reader, command::Knowledge* out) {
  reader.each_key(kMaxListItems, "a table of strings by command", [&](const std::string& name) {
    const TableReader::Step step(reader, name);
    reader.any_text(&out->outputs[name]);
  });
}

constexpr KnowledgeField<command::Knowledge> kKnowledgeFields[] = {
    {"programs", read_programs, true},
    {"paths", read_paths, true},
    {"outputs", read_outputs},
    {"text", [](KnowledgeReader& r, command::Knowledge* out) { r.texts(&out->text); }},
    {"unheld", [](KnowledgeReader& r, command::Knowledge* out) { out->unheld = r.regex(); }},
    {"removing", [](KnowledgeReader& r, command::Knowledge* out) { out->removing = r.regex(); }},
    {"reaching", [](KnowledgeReader& r, command::Knowledge* out) { out->reaching = r.regex(); }},
};

}  // namespace

void KnowledgeReader::selectors(std::vector<Selector>* out) {
  std::vector<std::string> written;
  if (!words(&written, true)) return;
  Selector options;
  options.kind = Selector::Kind::kOptions;
  for (const std::string& word : written) {
    if (word.size() > 1 && word.front() == '-') {
      if (word.find('=') != std::string::npos) {
        fault("'" + word + "': an option is named without its '='", word);
      }
      options.options.push_back(word);
      continue;
    }
    Selector selector;
    const auto known = std::find(kSelectors.begin(), kSelectors.end(), word);
    if (known != kSelectors.end()) {
      selector.kind = static_cast<Selector::Kind>(known - kSelectors.begin());
    } else if (word.size() > 1 && word.find('=') == word.size() - 1) {
      selector.kind = Selector::Kind::kPrefix;
      selector.prefix = word;
    } else {
      unknown("selector", word, kSelectors);
      continue;
    }
    out->push_back(std::move(selector));
  }
  if (!options.options.empty()) out->push_back(std::move(options));
}

std::shared_ptr<const re2::RE2> KnowledgeReader::regex() {
  constexpr int kMaxMemory = 4 << 20;  // bytes, of the program and its automaton
  std::string written;
  if (!any_text(&written, kMaxRegexBytes)) return nullptr;
  note_regex(written.size());
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxMemory);
  auto made = std::make_shared<const re2::RE2>(written, options);
  if (made->ok()) return made;
  fault("is not a valid RE2 pattern: " + made->error(), written);
  return nullptr;
}

bool read_knowledge(lua_State* state, int index, command::Knowledge* out, Faults* faults,
                    bool tested) {
  KnowledgeReader reader(state, faults, tested);
  lua_pushvalue(state, index);
  reader.enter_file();
  TableReader::fields(reader, kKnowledgeFields, "a table { programs, paths }", out);
  lua_pop(state, 1);
  return reader.good();
}

}  // namespace gibbous::lua
