// Lookups in the analyser's knowledge.
#include "runtime/command/knowledge.h"

#include <algorithm>
#include <bit>
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
static_assert(std::size(kBuiltInClasses) == kFirstOwnClass);  // the index is that of the bit

constexpr std::size_t kClassBits = 32;

// Returns the bit of the class at `index`, or 0 if no bit is left for it.
PathClasses own_bit(std::size_t index) {
  const std::size_t bit = kFirstOwnClass + index;
  return bit < kClassBits ? PathClasses{1} << bit : 0;
}

}  // namespace

const ProgramSpec* Knowledge::find(const std::string& program) const {
  if (program.empty()) return nullptr;
  if (const auto exact = programs.find(program); exact != programs.end())
    return exact->second.get();
  for (const auto& [name, spec] : patterns)
    if (glob_matches(name, program)) return spec.get();
  return nullptr;
}

PathClasses Knowledge::class_bit(const std::string& name) const {
  for (const BuiltInClass& built_in : kBuiltInClasses)
    if (name == built_in.name) return built_in.bit;
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (classes[i].name == name) return own_bit(i);
  return 0;
}

std::string_view Knowledge::class_name(PathClasses bit) const {
  if (bit == 0) return "";
  const auto index = static_cast<std::size_t>(std::countr_zero(bit));
  if (index < std::size(kBuiltInClasses)) return kBuiltInClasses[index].name;
  const std::size_t own = index - kFirstOwnClass;
  return own < classes.size() ? std::string_view(classes[own].name) : "";
}

std::vector<std::string> Knowledge::class_names(PathClasses bits) const {
  std::vector<std::string> names;
  for (PathClasses left = bits; left != 0; left &= left - 1) {
    const std::string_view name = class_name(left & ~(left - 1));
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

}  // namespace gibbous::command
