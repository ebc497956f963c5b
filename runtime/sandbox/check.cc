// Limits the number and length of paths, so that all later work is bounded. Also has the names of
// the enumerations of sandbox.h.
#include "runtime/sandbox/check.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "runtime/sandbox/temporary.h"

namespace gibbous {
namespace {

Status unavailable(const SandboxSpec& spec, const std::string& why) {
  return Status::error("sandbox_unavailable", "sandbox " + spec.profile + ": " + why);
}

Status check_paths(const SandboxSpec& spec) {
  const std::array<std::pair<const char*, const std::vector<std::string>*>, 11> fields = {
      {{"read", &spec.read},
       {"write", &spec.write},
       {"unreadable", &spec.unreadable},
       {"shapes", &spec.shapes},
       {"visible", &spec.visible},
       {"unwritable", &spec.unwritable},
       {"pinned", &spec.pinned},
       {"occupied", &spec.occupied},
       {"claimed", &spec.claimed},
       {"shown", &spec.shown},
       {"layered", &spec.layered}}};
  const auto invalid = [&](const char* field, const std::string& why) {
    return Status::error("invalid_request", "sandbox " + spec.profile + ": " + field + ": " + why);
  };
  if (!spec.temporary_group.empty() && !is_temporary_group(spec.temporary_group)) {
    return invalid("temporary_group", "letters, digits and '-' only, 64 at most");
  }
  std::size_t count = 0;
  for (const auto& [field, paths] : fields) {
    for (const std::string& path : *paths) {
      if (path.empty() || path.front() != '/') return invalid(field, path + " is not absolute");
      if (path.find('\0') != std::string::npos) return invalid(field, "a path has a NUL in it");
      if (path.size() >= kMaxSandboxPathBytes) return invalid(field, "a path is too long");
    }
    count += paths->size();
    if (count > kMaxSandboxPaths) {
      return invalid(field,
                     "more than " + std::to_string(kMaxSandboxPaths) + " paths in the profile");
    }
  }
  const bool too_long =
      std::any_of(spec.stand_ins.begin(), spec.stand_ins.end(),
                  [](const std::string& each) { return each.size() > kMaxStandInBytes; });
  if (too_long || spec.stand_ins.size() % 2 != 0 || spec.stand_ins.size() > kMaxSandboxPaths) {
    return invalid("stand_ins", "pairs of a path and a text of at most 64 KiB");
  }
  return {};
}

Status check_support(const SandboxSpec& spec, const SandboxSupport& support) {
  if (support.landlock_abi == 0) return unavailable(spec, "this kernel has no Landlock");
  if (support.landlock_abi < spec.min_landlock_abi) {
    return unavailable(spec, "Landlock ABI " + std::to_string(spec.min_landlock_abi) +
                                 " is required, but this kernel has " +
                                 std::to_string(support.landlock_abi));
  }
  if (!support.seccomp) return unavailable(spec, "seccomp filters are not available here");
  if (spec.network == SandboxNetwork::kLoopback && !support.network_namespaces) {
    return unavailable(spec,
                       "network \"loopback\" needs a network namespace, which this machine "
                       "does not allow; \"off\" needs none");
  }
  return {};
}

}  // namespace

Status check_spec(const SandboxSpec& spec, const SandboxSupport& support) {
  Status status = check_paths(spec);
  return status ? check_support(spec, support) : status;
}

const char* to_string(SandboxNetwork network) {
  switch (network) {
    case SandboxNetwork::kOn:
      return "on";
    case SandboxNetwork::kChecked:
      return "checked";
    case SandboxNetwork::kLoopback:
      return "loopback";
    case SandboxNetwork::kOff:
      return "off";
  }
  return "?";
}

const char* to_string(SandboxStep step) {
  switch (step) {
    case SandboxStep::kUnshare:
      return "namespaces";
    case SandboxStep::kIdentity:
      return "identity";
    case SandboxStep::kReadOnly:
      return "read-only";
    case SandboxStep::kStand:
      return "stand";
    case SandboxStep::kLayer:
      return "layer";
    case SandboxStep::kWriteTree:
      return "write tree";
    case SandboxStep::kHide:
      return "hide";
    case SandboxStep::kTerminals:
      return "terminals";
    case SandboxStep::kProtect:
      return "protect";
    case SandboxStep::kLoopback:
      return "loopback";
    case SandboxStep::kCapabilities:
      return "capabilities";
    case SandboxStep::kNoNewPrivileges:
      return "no new privileges";
    case SandboxStep::kLandlock:
      return "landlock";
    case SandboxStep::kSeccomp:
      return "seccomp";
  }
  return "?";
}

}  // namespace gibbous
