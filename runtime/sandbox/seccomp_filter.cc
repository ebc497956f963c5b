// The rules are data at the top. An argument that the kernel takes as an int is compared on its low
// 32 bits: the register's high half is under the attacker's control, and the kernel ignores it.
#include "runtime/sandbox/seccomp_filter.h"

#include <linux/close_range.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/sandbox/kernel.h"

namespace gibbous {
namespace {

// Refused with any arguments.
constexpr std::array kRefused = {
    // other processes; with ptrace and process_vm_readv, Landlock lets a run reach its own alone
    SCMP_SYS(kcmp), SCMP_SYS(pidfd_getfd), SCMP_SYS(process_madvise),
    // mounts and namespaces
    SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(move_mount),
    SCMP_SYS(open_tree), SCMP_SYS(fsopen), SCMP_SYS(fsmount), SCMP_SYS(fsconfig), SCMP_SYS(fspick),
    SCMP_SYS(mount_setattr), static_cast<int>(kernel::kOpenTreeAttr), SCMP_SYS(setns),
    // large parts of the kernel
    SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(fanotify_init),
    SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(open_by_handle_at),
    // the machine
    SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(init_module),
    SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(swapon), SCMP_SYS(swapoff),
    SCMP_SYS(acct), SCMP_SYS(quotactl), SCMP_SYS(quotactl_fd), SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime), SCMP_SYS(adjtimex), SCMP_SYS(iopl),
    SCMP_SYS(ioperm), SCMP_SYS(syslog), SCMP_SYS(vhangup)};

constexpr std::array kNamespaces = {
    kernel::kCloneNewNs,   kernel::kCloneNewCgroup, kernel::kCloneNewUts, kernel::kCloneNewIpc,
    kernel::kCloneNewUser, kernel::kCloneNewPid,    kernel::kCloneNewNet};

// They insert input into a terminal that other programs read.
constexpr std::array<std::uint64_t, 2> kRefusedIoctls = {TIOCSTI, TIOCLINUX};

constexpr std::array<std::uint32_t, 4> kFamilies = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
constexpr std::array<std::uint32_t, 1> kSelf = {0};

// Where connects are checked. Others connect by other calls as well: SCTP by an option.
constexpr std::array<std::uint32_t, 2> kCheckedFamilies = {AF_INET, AF_INET6};
constexpr std::array<std::uint32_t, 5> kCheckedProtocols = {0, IPPROTO_ICMP, IPPROTO_TCP,
                                                            IPPROTO_UDP, IPPROTO_ICMPV6};
constexpr std::array<std::uint32_t, 2> kCheckedTypes = {SOCK_STREAM, SOCK_DGRAM};
constexpr std::uint64_t kShortestAddress = sizeof(sockaddr_in);

constexpr std::uint64_t kLow32Bits = 0xffffffff;
// The kernel refuses larger values, because they mean nothing.
constexpr unsigned kFamilyBits = 6;
constexpr unsigned kNetlinkBits = 5;
constexpr unsigned kPidBits = 23;
constexpr unsigned kTypeBits = 4;
constexpr std::uint64_t kTypeMask = 0xf;  // the rest are flags
constexpr unsigned kProtocolBits = 9;
constexpr std::uint32_t kRefusal = SCMP_ACT_ERRNO(EPERM);

class Builder {
 public:
  Builder() : context_(::seccomp_init(SCMP_ACT_ALLOW)) {
    if (context_ == nullptr) {
      error_ = -ENOMEM;
      return;
    }
    // System calls of other architectures (int 0x80, x32) have other numbers.
    note(::seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    // A binary tree, because the kernel runs the filter over every number when it is installed.
    constexpr std::uint32_t kBinaryTree = 2;
    note(::seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, kBinaryTree));
  }
  ~Builder() { ::seccomp_release(context_); }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  int error() const { return error_; }
  scmp_filter_ctx context() const { return context_; }

  void refuse(int number, std::vector<scmp_arg_cmp> conditions = {},
              std::uint32_t action = kRefusal) {
    // Unknown on this architecture.
    if (number < 0 || error_ != 0) return;
    note(::seccomp_rule_add_array(context_, action, number,
                                  static_cast<unsigned>(conditions.size()), conditions.data()));
  }
  void refuse_value(int number, unsigned argument, std::uint64_t value, std::uint64_t mask) {
    refuse(number, {compare(argument, value, mask)});
  }
  // Refuses every value of an int argument with up to `free_bits` bits except the allowed ones, as
  // blocks of values that share their upper bits: a filter cannot express "none of these".
  // `known`: the bits that are looked at.
  void refuse_all_but(int number, unsigned argument, std::span<const std::uint32_t> allowed,
                      unsigned free_bits, const std::vector<scmp_arg_cmp>& others = {},
                      std::uint64_t known = kLow32Bits, std::uint32_t first = 0) {
    const std::uint64_t mask = kLow32Bits << free_bits & known;
    bool any = false;
    for (const std::uint32_t value : allowed) any = any || (value & mask) == first;
    if (!any) {
      std::vector<scmp_arg_cmp> conditions{compare(argument, first, mask)};
      conditions.insert(conditions.end(), others.begin(), others.end());
      refuse(number, conditions);
    } else if (free_bits > 0) {
      refuse_all_but(number, argument, allowed, free_bits - 1, others, known, first);
      refuse_all_but(number, argument, allowed, free_bits - 1, others, known,
                     first | 1U << (free_bits - 1));
    }
  }
  static scmp_arg_cmp compare(unsigned argument, std::uint64_t value, std::uint64_t mask) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
  }

 private:
  void note(int result) {
    if (error_ == 0) error_ = result;
  }

  scmp_filter_ctx context_;
  int error_ = 0;
};

// The calls about which a process outside decides. The address of sendmsg(2) and sendmmsg(2) is in
// memory. An int is compared with its unknown upper half, so that more calls are asked about, and
// none fewer. With MSG_FASTOPEN nothing is asked: the child hands its listener over by that, before
// the next filter refuses it.
void add_questions(Builder& builder) {
  builder.refuse(SCMP_SYS(connect), {SCMP_CMP64(2, SCMP_CMP_GE, kShortestAddress)},
                 SCMP_ACT_NOTIFY);
  builder.refuse(SCMP_SYS(sendto),
                 {SCMP_CMP64(4, SCMP_CMP_NE, 0), SCMP_CMP64(5, SCMP_CMP_GE, kShortestAddress)},
                 SCMP_ACT_NOTIFY);
  for (const auto& [number, flags] : {std::pair{SCMP_SYS(sendmsg), 2U}, {SCMP_SYS(sendmmsg), 3U}}) {
    builder.refuse(number, {Builder::compare(flags, 0, MSG_FASTOPEN)}, SCMP_ACT_NOTIFY);
  }
}

// What would get around the questions.
void add_checks(Builder& builder) {
  for (const std::uint32_t family : kCheckedFamilies) {
    const std::vector<scmp_arg_cmp> of_family{Builder::compare(0, family, kLow32Bits)};
    builder.refuse_all_but(SCMP_SYS(socket), 1, kCheckedTypes, kTypeBits, of_family, kTypeMask);
    builder.refuse_all_but(SCMP_SYS(socket), 2, kCheckedProtocols, kProtocolBits, of_family);
  }
  // They connect as well; programs do without it where the machine has it off.
  constexpr std::uint32_t kNoFastOpen = SCMP_ACT_ERRNO(EOPNOTSUPP);
  for (const auto& [number, flags] :
       {std::pair{SCMP_SYS(sendto), 3U}, {SCMP_SYS(sendmsg), 2U}, {SCMP_SYS(sendmmsg), 3U}}) {
    builder.refuse(number, {Builder::compare(flags, MSG_FASTOPEN, MSG_FASTOPEN)}, kNoFastOpen);
  }
  // A thread with descriptors of its own: those of its process are looked at.
  builder.refuse_value(SCMP_SYS(unshare), 0, CLONE_FILES, CLONE_FILES);
  builder.refuse_value(SCMP_SYS(close_range), 2, CLOSE_RANGE_UNSHARE, CLOSE_RANGE_UNSHARE);
  builder.refuse_value(SCMP_SYS(clone), 0, CLONE_THREAD, CLONE_THREAD | CLONE_FILES);
}

void add_rules(Builder& builder, SandboxNetwork network) {
  for (const int number : kRefused) builder.refuse(number);
  for (const std::uint64_t flag : kNamespaces) {
    builder.refuse_value(SCMP_SYS(clone), 0, flag, flag);
    builder.refuse_value(SCMP_SYS(unshare), 0, flag, flag);
  }
  // In clone(2) this bit belongs to the signal.
  builder.refuse_value(SCMP_SYS(unshare), 0, kernel::kCloneNewTime, kernel::kCloneNewTime);
  // Its flags are in memory, which a filter cannot read; libc falls back to clone.
  builder.refuse(SCMP_SYS(clone3), {}, SCMP_ACT_ERRNO(ENOSYS));
  for (const std::uint64_t request : kRefusedIoctls) {
    builder.refuse_value(SCMP_SYS(ioctl), 1, request, kLow32Bits);
  }
  // Limits of another process: those of the same user could be lowered until it dies.
  builder.refuse_all_but(SCMP_SYS(prlimit64), 0, kSelf, kPidBits, {SCMP_CMP64(2, SCMP_CMP_NE, 0)});
  if (network == SandboxNetwork::kOff) {
    builder.refuse(SCMP_SYS(socket));
    return;
  }
  builder.refuse_all_but(SCMP_SYS(socket), 0, kFamilies, kFamilyBits);
  if (network == SandboxNetwork::kChecked) add_checks(builder);
  // getaddrinfo(3) asks for the routes, and ss(8) for the sockets of its network.
  for (unsigned bit = 0; bit < kNetlinkBits; ++bit) {
    const std::uint64_t flag = std::uint64_t{1} << bit;
    static_assert(NETLINK_ROUTE == 0, "each protocol but these two has another bit");
    if (flag == NETLINK_SOCK_DIAG) continue;
    builder.refuse(SCMP_SYS(socket),
                   {Builder::compare(0, AF_NETLINK, kLow32Bits), Builder::compare(2, flag, flag)});
  }
}

using Program = std::vector<sock_filter>;

template <typename Add>
Result<Program> build(Add add) {
  const auto failed = [](const char* what, int error) {
    return Status::error("sandbox_unavailable",
                         std::string("seccomp: ") + what + ": " + std::strerror(error));
  };
  Builder builder;
  if (builder.error() == 0) add(builder);
  if (builder.error() != 0) return failed("no filter", -builder.error());
  const UniqueFd file(::memfd_create("seccomp", MFD_CLOEXEC));
  if (!file) return failed("no memory for the filter", errno);
  if (const int error = ::seccomp_export_bpf(builder.context(), file.get()); error != 0) {
    return failed("the filter cannot be written", -error);
  }
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size <= 0) return failed("the filter is empty", EIO);
  Program program(static_cast<std::size_t>(size) / sizeof(sock_filter));
  if (program.size() > BPF_MAXINSNS) return failed("the filter is too long", E2BIG);
  if (::pread(file.get(), program.data(), static_cast<std::size_t>(size), 0) != size) {
    return failed("the filter cannot be read", EIO);
  }
  return program;
}

}  // namespace

Result<sock_fprog> seccomp_filter(SandboxNetwork network) {
  static std::mutex mutex;
  static std::map<SandboxNetwork, Result<Program>> programs;
  const std::lock_guard lock(mutex);
  if (network == SandboxNetwork::kLoopback) network = SandboxNetwork::kOn;
  auto found = programs.find(network);
  if (found == programs.end()) {
    auto made = build([network](Builder& builder) { add_rules(builder, network); });
    found = programs.emplace(network, std::move(made)).first;
  }
  Result<Program>& program = found->second;
  if (!program.ok()) return program.status();
  return sock_fprog{static_cast<unsigned short>(program->size()), program->data()};
}

// Only these are asked about: a signal with a handler that arrives during a question ends kill(2)
// with EINTR, which shells do not expect when they end their own children. The next filter sees to
// other architectures, where the number is another call's.
Result<Program> asking_filter(SandboxNetwork network, std::span<const pid_t> signalled) {
  static const auto connects = build(add_questions);
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "an int is the first half of its word");
  Program all{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 1, 0),
      BPF_STMT(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(2 * signalled.size() + 1)),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
  };
  for (const pid_t pid : signalled) {
    all.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(pid), 0, 1));
    all.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  if (network != SandboxNetwork::kChecked) {
    all.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  } else if (connects.ok()) {
    all.insert(all.end(), connects->begin(), connects->end());
  } else {
    return connects.status();
  }
  if (all.size() > BPF_MAXINSNS) return Status::error("sandbox_unavailable", "seccomp: too long");
  return all;
}

}  // namespace gibbous
