// Path classes: from entries as policies write them to the paths of one place. Loop thread.
#include <algorithm>
#include <utility>

#include "bindings/lua/check/fields.h"
#include "bindings/lua/policy/knowledge_value.h"
#include "runtime/command/path_map.h"

namespace gibbous::lua {
namespace {

// runtime/paths/git_places.h sets these for each start.
constexpr const char* kGitVariables[] = {"GIT_LINK", "GIT_WORKTREE", "GIT_COMMON",
                                         "GIT_DIRS", "GIT_NESTED",   "GIT_OWN"};

// The offset after the prefix that says how the entry counts: "!=~/x" -> 2.
std::size_t path_begin(const std::string& entry) {
  return std::min(entry.find_first_not_of("!="), entry.size());
}

bool has_variable(const std::string& entry) {
  const std::size_t begin = path_begin(entry);
  return begin < entry.size() && (entry[begin] == '~' || entry[begin] == '$');
}

PathVariables with_place(const command::Place& place, PathVariables variables) {
  for (const char* name : kGitVariables) variables.try_emplace(name);
  variables.try_emplace(kChangedByRuns);
  if (!place.home.empty()) {
    // `~` of the command comes first; what else is a home is protected, too.
    std::vector<std::string>& homes = variables["HOME"];
    std::erase(homes, place.home);
    homes.insert(homes.begin(), place.home);
  }
  if (!place.workspace.empty()) variables["WORKSPACE"] = {place.workspace};
  variables.try_emplace("TMP", std::vector<std::string>{"/tmp", "/var/tmp"});
  return variables;
}

std::vector<std::string> expand_entry(const std::string& entry, const PathVariables& variables) {
  if (!has_variable(entry)) return {entry};
  const std::size_t begin = path_begin(entry);
  std::vector<std::string> places;
  try {
    places = expand_path("paths", entry.substr(begin), variables);
  } catch (const WrongUse&) {
    return {};  // not on this machine; check_path_variables reports it to policies
  }
  for (std::string& place : places) place.insert(0, entry, 0, begin);
  return places;
}

}  // namespace

bool check_path_variables(const command::Knowledge& knowledge, const PathVariables& variables,
                          Faults* faults) {
  command::Place root;
  root.workspace = root.home = "/";
  const PathVariables known = with_place(root, variables);
  bool good = true;
  for (const command::PathClassSpec& spec : knowledge.classes) {
    for (const std::string& entry : spec.entries) {
      if (!has_variable(entry)) continue;
      try {
        expand_path("paths '" + spec.name + "'", entry.substr(path_begin(entry)), known);
      } catch (const WrongUse& wrong) {
        faults->add(faults->sources().find(entry, "", ""), wrong.what());
        good = false;
      }
    }
  }
  return good;
}

std::shared_ptr<const command::PathMap> make_path_map(const command::Knowledge& knowledge,
                                                      const command::Place& place,
                                                      const PathVariables& variables) {
  const PathVariables places = with_place(place, variables);
  command::Knowledge classes;  // a map needs nothing else of it
  for (const command::PathClassSpec& written : knowledge.classes) {
    command::PathClassSpec spec = written;
    spec.entries.clear();
    for (const std::string& entry : written.entries) {
      for (std::string& path : expand_entry(entry, places)) spec.entries.push_back(std::move(path));
    }
    classes.classes.push_back(std::move(spec));
  }
  command::Place noted = place;
  for (const std::string& changed : places.at(kChangedByRuns)) {
    noted.notes[changed] = "A run has changed or made what git obeys in " + changed + ".";
  }
  return command::PathMap::create(classes, noted);
}

std::shared_ptr<const command::PathMap> LastPathMap::at(
    const command::Knowledge& knowledge, const command::Place& place,
    const PathVariables& variables, decltype(command::Place::resolve) (*resolver)()) {
  const bool same = map_ != nullptr && place.workspace == workspace_ && place.home == home_ &&
                    variables == variables_;
  if (same) return map_;
  workspace_ = place.workspace;
  home_ = place.home;
  variables_ = variables;
  command::Place making = place;
  if (resolver != nullptr) making.resolve = resolver();
  return map_ = make_path_map(knowledge, making, variables);
}

}  // namespace gibbous::lua
