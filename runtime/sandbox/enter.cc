// The child's part makes system calls only, because the child shares its memory with the keeper
// (runtime/process/launch.cc says more). Nothing is undone on failure; the child ends.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/sandbox/entry.h"
#include "runtime/sandbox/kernel.h"

#define GIBBOUS_IN_CHILD __attribute__((no_sanitize("address", "undefined", "thread")))

namespace gibbous {
namespace {

constexpr int kCapabilityWords = 2;
constexpr unsigned kCapabilityWordBits = 32;

GIBBOUS_IN_CHILD bool fail(SandboxFailure* failure, SandboxStep step, const char* path = nullptr) {
  failure->error = errno;
  failure->step = step;
  failure->path = path;
  return false;
}

// Closes a descriptor, and keeps errno.
struct Closed {
  long fd;
  GIBBOUS_IN_CHILD explicit Closed(long opened) : fd(opened) {}
  GIBBOUS_IN_CHILD ~Closed() {
    const int error = errno;
    if (fd >= 0) ::syscall(SYS_close, fd);
    errno = error;
  }
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;
};

GIBBOUS_IN_CHILD bool write_file(const char* path, const char* text, std::size_t size) {
  const Closed file(::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0));
  const long written = file.fd < 0 ? -1 : ::syscall(SYS_write, file.fd, text, size);
  if (written >= 0) errno = EIO;
  return written == static_cast<long>(size);
}

// The caller's user and group, in a user namespace that has no other.
GIBBOUS_IN_CHILD bool keep_identity(const SandboxEntry& entry) {
  constexpr char kDeny[] = "deny";
  return write_file("/proc/self/setgroups", kDeny, sizeof kDeny - 1) &&
         write_file("/proc/self/uid_map", entry.uid_map.data(), entry.uid_map.size()) &&
         write_file("/proc/self/gid_map", entry.gid_map.data(), entry.gid_map.size());
}

// A path that had no symbolic links when it was prepared has none now, unless another process is
// racing this one.
GIBBOUS_IN_CHILD int open_exactly(const char* path, int around = AT_FDCWD) {
  kernel::OpenHow how;
  how.flags = O_PATH | O_CLOEXEC;
  how.mode = 0;
  how.resolve = kernel::kResolveNoSymlinks | kernel::kResolveNoMagicLinks;
  return static_cast<int>(::syscall(kernel::kOpenat2, around, path, &how, sizeof how));
}

GIBBOUS_IN_CHILD int clone_tree(long fd) {
  return static_cast<int>(::syscall(kernel::kOpenTree, fd, "",
                                    kernel::kOpenTreeClone | kernel::kOpenTreeCloseOnExec |
                                        kernel::kRecursive | kernel::kEmptyPath));
}

GIBBOUS_IN_CHILD bool set_attributes(int fd, const char* path, std::uint64_t set) {
  kernel::MountAttributes attributes;
  attributes.set = set;
  attributes.clear = 0;
  attributes.propagation = kernel::kPropagationPrivate;
  attributes.user_namespace_fd = 0;
  return ::syscall(kernel::kMountSetattr, fd, path, kernel::kRecursive | kernel::kEmptyPath,
                   &attributes, sizeof attributes) == 0;
}

GIBBOUS_IN_CHILD bool attach(long tree, long target) {
  return ::syscall(kernel::kMoveMount, tree, "", target, "", kernel::kMoveMountBothEmpty) == 0;
}

// A file system that is being made. A step that fails makes the next ones fail.
struct NewMount {
  const Closed context;
  GIBBOUS_IN_CHILD explicit NewMount(const char* type)
      : context(::syscall(kernel::kFsopen, type, kernel::kFsopenCloseOnExec)) {}
  GIBBOUS_IN_CHILD bool configure(long what, const char* option, const char* value) const {
    return context.fd >= 0 && ::syscall(kernel::kFsconfig, context.fd, what, option, value, 0) == 0;
  }
  GIBBOUS_IN_CHILD bool set(const char* option, const char* value) const {
    return configure(kernel::kFsconfigSetString, option, value);
  }
  GIBBOUS_IN_CHILD bool flag(const char* option) const {
    return configure(kernel::kFsconfigSetFlag, option, nullptr);
  }
  // Returns it, not attached yet, or -1.
  GIBBOUS_IN_CHILD int finish(std::uint64_t attributes) const {
    if (!configure(kernel::kFsconfigCreate, nullptr, nullptr)) return -1;
    return static_cast<int>(::syscall(kernel::kFsmount, context.fd, kernel::kFsmountCloseOnExec,
                                      attributes | kernel::kMountNoSuid));
  }
};

// The directories of a layer, by names that neither a long path nor a colon in it can break: an
// option of a mount has 255 letters.
struct LayerNames {
  static constexpr std::size_t kMostLetters = 32;
  int fds[kMostLowers + 2];
  std::size_t count = 0;
  char lower[kMostLowers * kMostLetters];
  char upper[kMostLetters];
  char work[kMostLetters];

  // Writes the name behind `text`, and returns its end; null if it cannot be opened.
  GIBBOUS_IN_CHILD char* add(const char* path, char* text, int around = AT_FDCWD) {
    const int fd = open_exactly(path, around);
    if (fd < 0) return nullptr;
    fds[count++] = fd;
    for (const char* each = "/proc/self/fd/"; *each != '\0'; ++each) *text++ = *each;
    int unit = 1;
    while (fd / unit >= kTen) unit *= kTen;
    for (; unit > 0; unit /= kTen) *text++ = static_cast<char>('0' + fd / unit % kTen);
    *text = '\0';
    return text;
  }

  GIBBOUS_IN_CHILD bool open(const MountedLayer& layer, int room) {
    const std::string* const lowers = layer.lower.data();
    char* end = lower;
    for (std::size_t i = 0; i < layer.lower.size() && i < kMostLowers; ++i) {
      if (i > 0) *end++ = ':';
      end = add(lowers[i].c_str(), end);
      if (end == nullptr) return false;
    }
    return add("upper", upper, room) != nullptr && add("work", work, room) != nullptr;
  }

  GIBBOUS_IN_CHILD ~LayerNames() {
    while (count > 0) const Closed closed(fds[--count]);
  }

 private:
  static constexpr int kTen = 10;
};

// Returns an overlay, not attached yet.
GIBBOUS_IN_CHILD int new_overlay(const SandboxEntry& entry, const MountedLayer& layer, int room) {
  const NewMount made("overlay");
  LayerNames names;
  if (!names.open(layer, room) || !made.set("lowerdir", names.lower) ||
      !made.set("upperdir", names.upper) || !made.set("workdir", names.work) ||
      (entry.is_in_user_namespace() && !made.flag("userxattr")) ||
      (layer.is_copy && !entry.is_in_user_namespace() && !made.set("redirect_dir", "on"))) {
    return -1;
  }
  // Where the kernel knows it, the end of a run waits for no disk.
  (void)made.flag("volatile");
  return made.finish(kernel::kMountNoDevices);
}

// Only what is attached can be copied in parts.
GIBBOUS_IN_CHILD int new_layer(const SandboxEntry& entry, const MountedLayer& layer) {
  const Closed room(open_exactly(layer.room.c_str()));
  if (room.fd < 0) return -1;
  const int mount = new_overlay(entry, layer, static_cast<int>(room.fd));
  if (mount < 0 || !attach(mount, room.fd)) return -1;
  const std::string* name = layer.made.data();
  for (const std::string* const end = name + layer.made.size(); name != end; ++name) {
    if (::syscall(SYS_mkdirat, mount, name->c_str(), S_IRWXU) != 0 && errno != EEXIST) return -1;
  }
  return mount;
}

// Returns a copy of what is below a layer, not attached yet.
GIBBOUS_IN_CHILD int clone_part(int layer, const std::string& below) {
  if (below.empty()) return clone_tree(layer);
  const Closed within(open_exactly(below.c_str(), layer));
  return within.fd < 0 ? -1 : clone_tree(within.fd);
}

GIBBOUS_IN_CHILD bool grant(const Ruleset& ruleset, std::uint64_t rights, long tree) {
  kernel::LandlockPathBeneath rule;
  rule.allowed = rights;
  rule.parent_fd = static_cast<int>(tree);
  return ::syscall(kernel::kLandlockAddRule, ruleset.fd.get(), kernel::kLandlockPathBeneath, &rule,
                   0) == 0;
}

// The part is granted as what may be changed.
GIBBOUS_IN_CHILD int new_part(const SandboxEntry& entry, const LayerPart& part) {
  const int mount = clone_part(entry.layer_fds[part.layer], part.below);
  if (mount < 0) return -1;
  const bool done = grant(*entry.ruleset, entry.ruleset->write_rights, mount) &&
                    (part.writable || set_attributes(mount, "", kernel::kMountReadOnly));
  return done ? mount : -1;
}

// Puts a directory with more names in the place of one, with what is in that. A name that has gone
// meanwhile is empty.
GIBBOUS_IN_CHILD bool set_up(const SandboxEntry& entry, const Stand& stand) {
  const Closed below(open_exactly(stand.target.c_str()));
  if (below.fd < 0) return false;
  const Closed top(clone_part(entry.layer_fds[stand.layer], stand.below));
  if (top.fd < 0 || !attach(top.fd, below.fd)) return false;
  const std::string* name = stand.names.data();
  const std::string* const end = name + stand.names.size();
  for (; name != end; ++name) {
    // The directory below is still reached through its descriptor.
    const Closed tree(::syscall(kernel::kOpenTree, below.fd, name->c_str(),
                                kernel::kOpenTreeClone | kernel::kOpenTreeCloseOnExec |
                                    kernel::kRecursive | kernel::kSymlinkNoFollow |
                                    kernel::kNoAutomount));
    if (tree.fd < 0 && errno == ENOENT) continue;
    if (tree.fd < 0 || (::syscall(kernel::kMoveMount, tree.fd, "", top.fd, name->c_str(),
                                  kernel::kMoveMountFromEmpty) != 0 &&
                        errno != ENOTDIR && errno != ENOENT)) {
      return false;
    }
  }
  return true;
}

// Something else may be in its place, such as a link.
GIBBOUS_IN_CHILD bool is_gone(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

// The target may be in what was mounted just now.
GIBBOUS_IN_CHILD bool put_up(int mount, const char* path, SandboxStep step,
                             SandboxFailure* failure) {
  const Closed tree(mount);
  const Closed target(open_exactly(path));
  return (target.fd >= 0 && attach(tree.fd, target.fd)) || fail(failure, step, path);
}

// Copies the trees before everything becomes read-only, and mounts the copies over it after.
GIBBOUS_IN_CHILD bool make_read_only(const SandboxEntry& entry, SandboxFailure* failure) {
  int* const copies = entry.tree_fds.data();
  const std::size_t count = entry.trees.size();
  const MountedTree* tree = entry.trees.data();
  int* const layers = entry.layer_fds.data();
  const MountedLayer* const layer = entry.layers.data();
  for (std::size_t i = 0; i < entry.layers.size(); ++i) {
    layers[i] = new_layer(entry, layer[i]);
    if (layers[i] < 0) return fail(failure, SandboxStep::kLayer, layer[i].lower.back().c_str());
  }
  int* const parts = entry.part_fds.data();
  const LayerPart* const part = entry.parts.data();
  const std::size_t part_count = entry.parts.size();
  for (std::size_t i = 0; i < part_count; ++i) {
    parts[i] = new_part(entry, part[i]);
    if (parts[i] < 0) return fail(failure, SandboxStep::kLayer, part[i].target.c_str());
  }
  // Before the trees are copied: a home may be one of them, in a temporary directory.
  const Stand* stand = entry.stands.data();
  for (const Stand* const end = stand + entry.stands.size(); stand != end; ++stand) {
    if (!set_up(entry, *stand)) return fail(failure, SandboxStep::kStand, stand->target.c_str());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const char* const path = tree[i].source.c_str();
    const Closed source(open_exactly(path));
    copies[i] = source.fd < 0 ? -1 : clone_tree(source.fd);
    const std::uint64_t set =
        kernel::kMountNoDevices | (tree[i].writable ? 0 : kernel::kMountReadOnly);
    if (copies[i] < 0 || !set_attributes(copies[i], "", set)) {
      return fail(failure, SandboxStep::kWriteTree, path);
    }
  }
  if (!set_attributes(AT_FDCWD, "/", kernel::kMountReadOnly)) {
    return fail(failure, SandboxStep::kReadOnly, "/");
  }
  // Parents first: a part may be in a tree, and a tree in a part.
  std::size_t laid = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    for (; laid < part_count && (i == count || part[laid].target.compare(tree[i].target) < 0);
         ++laid) {
      if (!put_up(parts[laid], part[laid].target.c_str(), SandboxStep::kLayer, failure)) {
        return false;
      }
    }
    if (i < count && !put_up(copies[i], tree[i].target.c_str(), SandboxStep::kWriteTree, failure) &&
        !(tree[i].may_be_gone && (is_gone(failure->error) || failure->error == EINVAL))) {
      return false;
    }
  }
  for (std::size_t i = 0; i < entry.layers.size(); ++i) const Closed closed(layers[i]);
  return true;
}

// Creates an empty directory that no process may enter, not attached yet.
GIBBOUS_IN_CHILD int new_empty_directory() {
  const NewMount made("tmpfs");
  if (!made.set("mode", "0")) return -1;
  return made.finish(kernel::kMountReadOnly | kernel::kMountNoDevices | kernel::kMountNoExec);
}

// Covers files that may not be read; opened when the first is met.
struct Blinds {
  int directory = -1;
  int file = -1;
  GIBBOUS_IN_CHILD ~Blinds() {
    for (const int fd : {directory, file}) const Closed closed(fd);
  }
};

// Returns -1 and errno on failure.
GIBBOUS_IN_CHILD int tree_for(const Cover& cover, long target, Blinds& blinds) {
  switch (cover.kind) {
    case CoverKind::kHideDirectory:
      // Only an attached mount can be copied, so the first one is attached itself.
      if (blinds.directory >= 0) return clone_tree(blinds.directory);
      return blinds.directory = new_empty_directory();
    case CoverKind::kHideFile:
      if (blinds.file < 0) blinds.file = open_exactly("/dev/null");
      return blinds.file < 0 ? -1 : clone_tree(blinds.file);
    case CoverKind::kPin:
      return clone_tree(target);
    case CoverKind::kReadOnly:
      const int tree = clone_tree(target);
      return tree >= 0 && set_attributes(tree, "", kernel::kMountReadOnly) ? tree : -1;
  }
  errno = EINVAL;
  return -1;
}

GIBBOUS_IN_CHILD bool lay_covers(const SandboxEntry& entry, SandboxFailure* failure) {
  Blinds blinds;
  const Cover* cover = entry.covers.data();
  const Cover* const end = cover + entry.covers.size();
  for (; cover != end; ++cover) {
    const bool hides =
        cover->kind == CoverKind::kHideFile || cover->kind == CoverKind::kHideDirectory;
    const SandboxStep step = hides ? SandboxStep::kHide : SandboxStep::kProtect;
    const Closed target(open_exactly(cover->path.c_str()));
    // Another run may remove a repository meanwhile: what is gone needs no protection, and what a
    // run makes there instead is looked at. What something else has replaced fails the start.
    const auto is_needless = [&] {
      return (cover->may_be_gone && is_gone(errno)) || (!hides && errno == ENOENT);
    };
    const int tree = target.fd < 0 ? -1 : tree_for(*cover, target.fd, blinds);
    const Closed closed(tree == blinds.directory ? -1 : tree);
    const bool laid = tree >= 0 && attach(tree, target.fd);
    if (!laid && !is_needless()) return fail(failure, step, cover->path.c_str());
  }
  return true;
}

// /dev/ptmx makes its terminals in the instance that is at /dev/pts.
GIBBOUS_IN_CHILD bool have_own_terminals(const SandboxEntry& entry) {
  const Closed target(open_exactly("/dev/pts"));
  const NewMount made("devpts");
  if (target.fd < 0 || !made.set("ptmxmode", "0666") || !made.set("mode", "0620")) return false;
  const Closed terminals(made.finish(kernel::kMountNoExec));
  return terminals.fd >= 0 && attach(terminals.fd, target.fd) &&
         grant(*entry.ruleset, entry.ruleset->device_rights, terminals.fd);
}

GIBBOUS_IN_CHILD bool bring_loopback_up() {
  const Closed any(::syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request;
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  request.ifr_name[2] = '\0';
  request.ifr_flags = IFF_UP;
  return any.fd >= 0 && ::syscall(SYS_ioctl, any.fd, SIOCSIFFLAGS, &request) == 0;
}

GIBBOUS_IN_CHILD bool drop_capabilities(const SandboxEntry& entry, std::uint64_t kept) {
  if (::syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return false;
  const int* capability = entry.dropped_capabilities.data();
  const int* const end = capability + entry.dropped_capabilities.size();
  for (; capability != end; ++capability) {
    if (::syscall(SYS_prctl, PR_CAPBSET_DROP, *capability, 0, 0, 0) != 0) return false;
  }
  __user_cap_header_struct header;
  header.version = _LINUX_CAPABILITY_VERSION_3;
  header.pid = 0;
  __user_cap_data_struct words[kCapabilityWords];
  if (::syscall(SYS_capget, &header, words) != 0) return false;
  for (unsigned i = 0; i < kCapabilityWords; ++i) {
    const auto mask = static_cast<std::uint32_t>(kept >> (i * kCapabilityWordBits));
    words[i].permitted &= mask;
    words[i].effective &= mask;
    words[i].inheritable = 0;
  }
  return ::syscall(SYS_capset, &header, words) == 0;
}

// Sends a descriptor with one byte, by a call about which the filter does not ask.
GIBBOUS_IN_CHILD bool hand_over(int socket, long fd) {
  char byte = 0;
  iovec part{&byte, sizeof byte};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  auto* const header = reinterpret_cast<cmsghdr*>(control);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  *reinterpret_cast<int*>(CMSG_DATA(header)) = static_cast<int>(fd);
  const msghdr message{nullptr, 0, &part, 1, control, sizeof control, 0};
  return ::syscall(SYS_sendmsg, socket, &message, MSG_NOSIGNAL | MSG_FASTOPEN) == 1;
}

}  // namespace

GIBBOUS_IN_CHILD int try_own_network(void*) {
  // One that may make it may still lack the right to use it: a container's root, a user whom a
  // security module allows a user namespace and nothing in it.
  constexpr auto kOwn = CLONE_NEWNET | CLONE_NEWNS;
  const auto can_use = [] {
    return set_attributes(AT_FDCWD, "/", kernel::kMountReadOnly) && bring_loopback_up();
  };
  const bool works = (::syscall(SYS_unshare, kOwn) == 0 && can_use()) ||
                     (::syscall(SYS_unshare, CLONE_NEWUSER | kOwn) == 0 && can_use());
  return works ? 0 : 1;
}

GIBBOUS_IN_CHILD std::uint64_t kept_capabilities() {
  constexpr auto bit = [](int capability) { return std::uint64_t{1} << capability; };
  constexpr std::uint64_t kKept = bit(CAP_CHOWN) | bit(CAP_DAC_OVERRIDE) | bit(CAP_FOWNER) |
                                  bit(CAP_FSETID) | bit(CAP_KILL) | bit(CAP_SETGID) |
                                  bit(CAP_SETUID) | bit(CAP_NET_BIND_SERVICE);
  return kKept;
}

GIBBOUS_IN_CHILD bool PreparedSandbox::enter_namespaces(SandboxFailure* failure) const noexcept {
  const SandboxEntry& entry = *entry_;
  if ((entry.user_namespace >= 0 &&
       ::syscall(SYS_setns, entry.user_namespace, CLONE_NEWUSER) != 0) ||
      (entry.network_namespace >= 0 &&
       ::syscall(SYS_setns, entry.network_namespace, CLONE_NEWNET) != 0)) {
    return fail(failure, SandboxStep::kUnshare);
  }
  if (entry.namespaces == 0) return true;
  if (::syscall(SYS_unshare, entry.namespaces) != 0) return fail(failure, SandboxStep::kUnshare);
  if ((entry.namespaces & kernel::kCloneNewUser) != 0 && !keep_identity(entry)) {
    return fail(failure, SandboxStep::kIdentity);
  }
  if ((entry.namespaces & kernel::kCloneNewNs) != 0 &&
      (!make_read_only(entry, failure) || !lay_covers(entry, failure))) {
    return false;
  }
  if (entry.private_terminals && !have_own_terminals(entry)) {
    return fail(failure, SandboxStep::kTerminals, "/dev/pts");
  }
  return !entry.loopback || bring_loopback_up() || fail(failure, SandboxStep::kLoopback);
}

GIBBOUS_IN_CHILD bool PreparedSandbox::restrict_self(SandboxFailure* failure) const noexcept {
  const SandboxEntry& entry = *entry_;
  if (!drop_capabilities(entry, kept_capabilities())) {
    return fail(failure, SandboxStep::kCapabilities);
  }
  if (::syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail(failure, SandboxStep::kNoNewPrivileges);
  }
  if (::syscall(kernel::kLandlockRestrictSelf, entry.ruleset->fd.get(), 0) != 0) {
    return fail(failure, SandboxStep::kLandlock);
  }
  if (entry.connects >= 0) {
    const long listener = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                    SECCOMP_FILTER_FLAG_NEW_LISTENER, &entry.asking);
    if (listener < 0 || !hand_over(entry.connects, listener)) {
      return fail(failure, SandboxStep::kSeccomp);
    }
  }
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &entry.filter) != 0) {
    return fail(failure, SandboxStep::kSeccomp);
  }
  return true;
}

}  // namespace gibbous
