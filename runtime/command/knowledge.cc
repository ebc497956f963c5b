// Lookups in the analyser's knowledge.
#include "runtime/command/knowledge.h"

#include <algorithm>
#include <iterator>

#include "runtime/command/glob.h"

namespace gibbous::command {
namespace {

struct BuiltInClass {
  const char* name;
  PathClasses bit;
};

constexpr BuiltInClass kBuiltInClasses[] = {
    {"workspace", kInWorkspace},    {"workspace_root", kWorkspaceRoot},
    {"outside", kOutside},          {"unknown", kUnknownPath},
    {"partly_known", kPartlyKnown}, {"holds_workspace", kHoldsWorkspace},
};
static_assert(std::size(kBuiltInClasses) == kFirstOwnClass);

constexpr std::size_t kClassBits = 32;

// Returns the bit of the class at `index`, or 0 if no bit is left for it.
PathClasses own_bit(std::size_t index) {
  const std::size_t bit = kFirstOwnClass + index;
  return bit < kClassBits ? PathClasses{1} << bit : 0;
}

}  // namespace

const ProgramSpec* Knowledge::find(const std::string& program) const {
  if (program.empty()) return nullptr;
  const auto exact = programs.find(program);
  if (exact != programs.end()) return exact->second.get();
  for (const auto& [name, spec] : patterns)
    if (glob_matches(name, program)) return spec.get();
  return nullptr;
}

bool Knowledge::configures(const std::string& variable) const {
  const std::vector<std::string>& globs = reading_variables.configuring;
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return glob_matches(glob, std::string_view(variable));
  });
}

PathClasses Knowledge::class_bit(const std::string& name) const {
  for (const BuiltInClass& built_in : kBuiltInClasses)
    if (name == built_in.name) return built_in.bit;
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (classes[i].name == name) return own_bit(i);
  return 0;
}

std::vector<std::string> Knowledge::class_names(PathClasses bits) const {
  std::vector<std::string> names;
  for (const BuiltInClass& built_in : kBuiltInClasses)
    if ((bits & built_in.bit) != 0) names.emplace_back(built_in.name);
  for (std::size_t i = 0; i < classes.size(); ++i)
    if ((bits & own_bit(i)) != 0) names.push_back(classes[i].name);
  return names;
}

}  // namespace gibbous::command
