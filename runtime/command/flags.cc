// Reads one word as getopt_long would, guided by the program's table.
#include "runtime/command/flags.h"

#include <algorithm>
#include <string>
#include <vector>

namespace gibbous::command {
namespace {

constexpr std::string_view kDashes = "--";
constexpr std::size_t kShortFlagBytes = 2;  // -x
// No real cluster is longer; a longer one is taken to contain every flag.
constexpr std::size_t kMaxClusterBytes = 256;

bool is_long(std::string_view text) {
  return text.substr(0, kDashes.size()) == kDashes;
}

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool contains(const std::vector<Selector>& selectors, std::string_view name) {
  return std::any_of(selectors.begin(), selectors.end(),
                     [&](const Selector& selector) { return contains(selector.options, name); });
}

// Returns true if the table names exactly this option.
bool is_own_option(const ProgramSpec& spec, std::string_view name) {
  if (contains(spec.values, name) || contains(spec.recursive, name) ||
      contains(spec.decodes_when, name) || contains(spec.cwd, name) || contains(spec.hosts, name)) {
    return true;
  }
  const auto in_access = [&](const AccessSpec& access) {
    return contains(access.when, name) || contains(access.unless, name) ||
           contains(access.selectors, name);
  };
  const auto in_runs = [&](const RunsSpec& runs) {
    return contains(runs.when, name) || contains(runs.unless, name) || contains(runs.from, name);
  };
  return std::any_of(spec.accesses.begin(), spec.accesses.end(), in_access) ||
         std::any_of(spec.runs.begin(), spec.runs.end(), in_runs);
}

// Returns the known bytes at the beginning of a word.
std::string_view known_beginning(const Value& word) {
  const std::string_view text = word.text;
  return word.literal() ? text : text.substr(0, word.holes.front().begin);
}

bool takes_value(const ProgramSpec* spec, char letter) {
  if (spec == nullptr) return false;
  return std::any_of(spec->values.begin(), spec->values.end(), [&](const std::string& option) {
    return option.size() == kShortFlagBytes && option[1] == letter;
  });
}

// Returns true if a letter stands in a cluster (-rf) before any letter that takes the rest as its
// value. With `letter` 0, returns true if any letter takes a value.
bool in_cluster(std::string_view cluster, const ProgramSpec* spec, char letter) {
  if (cluster.size() > kMaxClusterBytes) return letter != 0;
  for (const char each : cluster.substr(1)) {
    if (each == '=') return letter == 0;
    if (letter != 0 && each == letter) return true;
    if (takes_value(spec, each)) return letter == 0;
  }
  return false;
}

// `name` is the known part of the word, without =value.
bool is_long_flag(std::string_view name, bool name_is_whole, const ProgramSpec* spec,
                  std::string_view flag) {
  if (!name_is_whole) return false;
  if (name == flag) return true;
  if (name.size() <= kDashes.size() || flag.substr(0, name.size()) != name) return false;
  return spec == nullptr || !is_own_option(*spec, name);
}

}  // namespace

bool is_flag(const Value& word, const ProgramSpec* spec, std::string_view flag) {
  const std::string_view known = known_beginning(word);
  const std::size_t equals = known.find('=');
  const std::string_view name = known.substr(0, equals);
  const bool whole = word.literal() || equals != std::string_view::npos;
  if (is_long(flag)) return is_long(known) && is_long_flag(name, whole, spec, flag);
  if (whole && name == flag) return true;
  if (is_long(known) || known.size() < kShortFlagBytes || known.front() != '-') return false;
  if (flag.size() != kShortFlagBytes || flag.front() != '-') return false;
  if (spec != nullptr && spec->single_dash_long) return false;
  return in_cluster(known, spec, flag[1]);
}

bool is_negated(const std::vector<Value>& argv, int index) {
  if (index < 1 || static_cast<std::size_t>(index) >= argv.size()) return false;
  const std::string& before = argv[static_cast<std::size_t>(index) - 1].text;
  return before == "!" || before == "-not";
}

bool may_hide_options(const Value& word, const ProgramSpec* spec) {
  if (word.starts_unknown()) return true;
  const std::string_view known = known_beginning(word);
  if (known.front() != '-' || !word.has_unknown()) return false;
  if (is_long(known)) return known.find('=') == std::string_view::npos;
  return !in_cluster(known, spec, 0);
}

}  // namespace gibbous::command
