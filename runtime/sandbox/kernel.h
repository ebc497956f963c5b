// Numbers and layouts that Linux has and the headers of older distributions lack, as the kernel
// defines them.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

namespace gibbous::kernel {

// From 424 on a system call has the same number on every architecture.
inline constexpr long kOpenTree = 428;
inline constexpr long kMoveMount = 429;
inline constexpr long kFsopen = 430;
inline constexpr long kFsconfig = 431;
inline constexpr long kFsmount = 432;
inline constexpr long kOpenat2 = 437;
inline constexpr long kMountSetattr = 442;
inline constexpr long kLandlockCreateRuleset = 444;
inline constexpr long kLandlockAddRule = 445;
inline constexpr long kLandlockRestrictSelf = 446;
inline constexpr long kOpenTreeAttr = 467;

struct OpenHow {
  std::uint64_t flags;
  std::uint64_t mode;
  std::uint64_t resolve;
};
inline constexpr std::uint64_t kResolveNoMagicLinks = 0x02;
inline constexpr std::uint64_t kResolveNoSymlinks = 0x04;

struct MountAttributes {
  std::uint64_t set;
  std::uint64_t clear;
  std::uint64_t propagation;
  std::uint64_t user_namespace_fd;
};
inline constexpr std::uint64_t kMountReadOnly = 0x1;
inline constexpr std::uint64_t kMountNoSuid = 0x2;
inline constexpr std::uint64_t kMountNoDevices = 0x4;
inline constexpr std::uint64_t kMountNoExec = 0x8;
inline constexpr std::uint64_t kPropagationPrivate = 1UL << 18;
inline constexpr long kRecursive = 0x8000;  // AT_RECURSIVE
inline constexpr long kEmptyPath = 0x1000;  // AT_EMPTY_PATH
inline constexpr long kOpenTreeClone = 1;
inline constexpr long kOpenTreeCloseOnExec = 02000000;  // O_CLOEXEC
inline constexpr long kMoveMountFromEmpty = 0x04;
inline constexpr long kMoveMountBothEmpty = kMoveMountFromEmpty | 0x40;
inline constexpr long kSymlinkNoFollow = 0x100;  // AT_SYMLINK_NOFOLLOW
inline constexpr long kNoAutomount = 0x800;      // AT_NO_AUTOMOUNT
inline constexpr long kFsopenCloseOnExec = 1;
inline constexpr long kFsmountCloseOnExec = 1;
inline constexpr long kFsconfigSetFlag = 0;
inline constexpr long kFsconfigSetString = 1;
inline constexpr long kFsconfigCreate = 6;

// Landlock, by the ABI that introduced it.
struct LandlockRulesetAttributes {
  std::uint64_t handled_fs;   // 1
  std::uint64_t handled_net;  // 4
  std::uint64_t scoped;       // 6
};
struct [[gnu::packed]] LandlockPathBeneath {
  std::uint64_t allowed;
  std::int32_t parent_fd;
};
inline constexpr std::uint32_t kLandlockVersion = 1;
inline constexpr int kLandlockPathBeneath = 1;

inline constexpr std::uint64_t kCloneNewTime = 0x00000080;
inline constexpr std::uint64_t kCloneNewNs = 0x00020000;
inline constexpr std::uint64_t kCloneNewCgroup = 0x02000000;
inline constexpr std::uint64_t kCloneNewUts = 0x04000000;
inline constexpr std::uint64_t kCloneNewIpc = 0x08000000;
inline constexpr std::uint64_t kCloneNewUser = 0x10000000;
inline constexpr std::uint64_t kCloneNewPid = 0x20000000;
inline constexpr std::uint64_t kCloneNewNet = 0x40000000;

}  // namespace gibbous::kernel
