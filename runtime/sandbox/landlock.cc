// Rights that the running kernel does not know are left out; the caller reports what that leaves
// open.
#include "runtime/sandbox/landlock.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/sandbox/kernel.h"

namespace gibbous {
namespace {

enum Right : std::uint64_t {
  kExecute = 1 << 0,
  kWriteFile = 1 << 1,
  kReadFile = 1 << 2,
  kReadDir = 1 << 3,
  kRemoveDir = 1 << 4,
  kRemoveFile = 1 << 5,
  kMakeChar = 1 << 6,
  kMakeDir = 1 << 7,
  kMakeReg = 1 << 8,
  kMakeSock = 1 << 9,
  kMakeFifo = 1 << 10,
  kMakeBlock = 1 << 11,
  kMakeSym = 1 << 12,
  kRefer = 1 << 13,
  kTruncate = 1 << 14,
  kIoctlDev = 1 << 15,
  kResolveUnix = 1 << 16,
};

constexpr std::uint64_t kFirstRights = (1 << 13) - 1;
constexpr std::uint64_t kBindTcp = 1 << 0;
constexpr std::uint64_t kConnectTcp = 1 << 1;
constexpr std::uint64_t kScopeAbstractUnix = 1 << 0;
constexpr std::uint64_t kScopeSignal = 1 << 1;

constexpr std::uint32_t kAbiRefer = 2;
constexpr std::uint32_t kAbiTruncate = 3;
constexpr std::uint32_t kAbiNet = 4;
constexpr std::uint32_t kAbiIoctlDev = 5;
constexpr std::uint32_t kAbiScope = 6;
constexpr std::uint32_t kAbiResolveUnix = 9;

// The only rights that a rule for anything other than a directory may have.
constexpr std::uint64_t kFileRights = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;

constexpr std::uint64_t kReadRights = kExecute | kReadFile | kReadDir;
// No device nodes may be made, and existing ones in such a tree may not be used.
constexpr std::uint64_t kWriteRights = kReadRights | kWriteFile | kRemoveDir | kRemoveFile |
                                       kMakeDir | kMakeReg | kMakeSock | kMakeFifo | kMakeSym |
                                       kRefer | kTruncate;
constexpr std::uint64_t kDeviceRights = kReadFile | kReadDir | kWriteFile | kTruncate | kIoctlDev;

std::uint64_t rights_of(LandlockGrant grant) {
  switch (grant) {
    case LandlockGrant::kList:
      return kReadDir;
    case LandlockGrant::kRead:
      return kReadRights;
    case LandlockGrant::kWrite:
      return kWriteRights;
    case LandlockGrant::kDevice:
      return kDeviceRights;
  }
  return 0;
}

// Newer kernels accept a larger structure if the rest is zero; older ones do not.
std::size_t attributes_size(std::uint32_t abi) {
  constexpr std::size_t kField = sizeof(std::uint64_t);
  if (abi < kAbiNet) return kField;
  return abi < kAbiScope ? 2 * kField : sizeof(kernel::LandlockRulesetAttributes);
}

Status failed(const char* what) {
  return Status::error("sandbox_unavailable",
                       std::string("Landlock: ") + what + ": " + std::strerror(errno));
}

}  // namespace

std::uint32_t landlock_abi() {
  const long version =
      ::syscall(kernel::kLandlockCreateRuleset, nullptr, 0, kernel::kLandlockVersion);
  return version > 0 ? static_cast<std::uint32_t>(version) : 0;
}

bool can_hold_signals() {
  return landlock_abi() >= kAbiScope;
}

Result<LandlockRuleset> LandlockRuleset::create(std::uint32_t abi, SandboxNetwork network) {
  kernel::LandlockRulesetAttributes attributes{};
  attributes.handled_fs = kFirstRights;
  if (abi >= kAbiRefer) attributes.handled_fs |= kRefer;
  if (abi >= kAbiTruncate) attributes.handled_fs |= kTruncate;
  if (abi >= kAbiIoctlDev) attributes.handled_fs |= kIoctlDev;
  // Granted nowhere: sockets that the sandbox itself made stay reachable for it.
  if (abi >= kAbiResolveUnix) attributes.handled_fs |= kResolveUnix;
  if (abi >= kAbiNet && network == SandboxNetwork::kOff) {
    attributes.handled_net = kBindTcp | kConnectTcp;
  }
  // What decides connects on another process's behalf, to which this does not apply.
  if (abi >= kAbiNet && network == SandboxNetwork::kChecked) attributes.handled_net = kConnectTcp;
  if (abi >= kAbiScope) attributes.scoped = kScopeAbstractUnix | kScopeSignal;
  const long fd = ::syscall(kernel::kLandlockCreateRuleset, &attributes, attributes_size(abi), 0);
  if (fd < 0) return failed("no ruleset");
  return LandlockRuleset(UniqueFd(static_cast<int>(fd)), attributes.handled_fs);
}

std::uint64_t LandlockRuleset::rights(LandlockGrant grant) const {
  return rights_of(grant) & handled_;
}

Status LandlockRuleset::grant(int fd, bool is_directory, LandlockGrant grant) {
  kernel::LandlockPathBeneath rule{};
  rule.allowed = rights_of(grant) & handled_;
  if (!is_directory) rule.allowed &= kFileRights;
  rule.parent_fd = fd;
  if (::syscall(kernel::kLandlockAddRule, fd_.get(), kernel::kLandlockPathBeneath, &rule, 0) != 0) {
    return failed("no rule");
  }
  return {};
}

}  // namespace gibbous
