// More attacks out of a sandbox, as a program in Python makes them: system calls that are newer
// than the sandbox, ways around a path, and signals that are not sent with kill(2).
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>

#include "tests/runtime/sandbox/box.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

// Each prints its name with "refused" or "escaped". Arguments: the box's directory, the process
// outside, an abstract socket.
constexpr const char* kAttempts = R"PY(
import ctypes, errno, fcntl, os, signal, socket, sys
box, outside_pid, abstract, mounts = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4] == '1'
libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100

def call(number, *args):
    made = [a if not isinstance(a, str) else a.encode() for a in args]
    if libc.syscall(number, *made) == -1:
        raise OSError(ctypes.get_errno(), 'refused')

def attempt(name, work):
    try:
        work()
        print(name, 'escaped')
    except OSError as e:
        print(name, 'refused', errno.errorcode.get(e.errno, e.errno))

file, ws = box + '/outside/file', box + '/workspace'

def by_descriptor():
    fd = os.open(file, os.O_PATH)
    with open('/proc/self/fd/%d' % fd, 'w') as f: f.write('evil')
def by_directory():
    os.chdir(box + '/outside')
    try: open('file', 'w').write('evil')
    finally: os.chdir(ws)
def by_dots():
    fd = os.open(ws + '/sub', os.O_RDONLY)
    os.unlink('../../outside/file', dir_fd=fd)
def nameless():
    fd = os.open(ws, os.O_TMPFILE | os.O_RDWR, 0o644)
    os.write(fd, b'evil')
    os.link('/proc/self/fd/%d' % fd, box + '/outside/planted', follow_symlinks=True)
def nameless_outside():
    os.open(box + '/outside', os.O_TMPFILE | os.O_RDWR, 0o644)
def link_in():
    os.link(file, ws + '/linked')
    open(ws + '/linked', 'w').write('evil')
def through_link():
    os.symlink(file, ws + '/sym')
    open(ws + '/sym', 'w').write('evil')
def socket_file():
    s = socket.socket(socket.AF_UNIX); s.bind(box + '/outside/sock')
def fifo(): os.mkfifo(box + '/outside/fifo')
def moved_out():
    os.mkdir(ws + '/moved'); os.rename(ws + '/moved', box + '/outside/moved')
def group_file():
    for path in ('/sys/fs/cgroup/cgroup.procs', '/sys/fs/cgroup/unified/cgroup.procs'):
        if os.path.exists(path):
            open(path, 'w').write(str(os.getpid())); return
    raise OSError(errno.ENOENT, 'none')
def by_sigio():
    a, b = socket.socketpair()
    fcntl.fcntl(a, fcntl.F_SETOWN, outside_pid)
    fcntl.fcntl(a, 10, signal.SIGURG)  # F_SETSIG
    fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    b.send(b'x')
    raise OSError(errno.EPERM, 'the process outside says whether it came')
def broadcast():
    os.kill(-1, signal.SIGURG)  # which means nothing to others
    raise OSError(errno.EPERM, 'the process outside says whether it came')
def queued(): call(129, outside_pid, signal.SIGURG, ctypes.create_string_buffer(
    (signal.SIGURG).to_bytes(4, 'little') + bytes(4) + (2**32 - 1).to_bytes(4, 'little') + bytes(116)))
def abstract_datagram():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b'evil', '\0' + abstract)
def mrelease():
    fd = os.pidfd_open(outside_pid); call(448, fd, 0)
def compare():
    call(312, os.getpid(), outside_pid, 0, 0, 0)  # kcmp
def moves_pages(): call(256, outside_pid, 1, ctypes.byref(ctypes.c_ulong(1)), ctypes.byref(ctypes.c_ulong(1)))
def open_tree_attr(): call(467, AT_FDCWD, '/', 1, 0, 0)
def fspick(): call(433, AT_FDCWD, '/', 0)
def faults(): call(323, 1)  # userfaultfd, for faults of the kernel, too
def host_name(): call(170, b'evil', 4)
def kernel_log(): call(103, 3, ctypes.create_string_buffer(64), 64)
def account(): call(163, ws + '/account')
def quota(): call(443, os.open(box, os.O_RDONLY), 0x800002 << 8, 0, 0)
def swap(): call(167, ws + '/file', 0)
def ports(): call(172, 3)  # iopl

always = [by_descriptor, by_directory, by_dots, nameless, nameless_outside, link_in, through_link,
          socket_file, fifo, moved_out, group_file, by_sigio, broadcast, queued, abstract_datagram,
          compare, moves_pages, open_tree_attr, fspick, faults, host_name, kernel_log, account,
          quota, swap, ports, mrelease]

def attributes():  # file_setattr
    call(469, AT_FDCWD, file, ctypes.create_string_buffer(24), 24, 0)
def extended():  # setxattrat
    value = ctypes.create_string_buffer(b'evil')
    class Args(ctypes.Structure):
        _fields_ = [('value', ctypes.c_uint64), ('size', ctypes.c_uint32), ('flags', ctypes.c_uint32)]
    call(463, AT_FDCWD, file, 0, b'user.evil',
         ctypes.byref(Args(ctypes.addressof(value), 4, 0)), 16)
def mode_of(): call(452, AT_FDCWD, file, 0o777, 0)  # fchmodat2
def directory_away(): os.rename(ws + '/sub', ws + '/other'); os.rename(ws, ws + '2')

for each in always + ([attributes, extended, mode_of, directory_away] if mounts else []):
    attempt(each.__name__, each)
)PY";

// A process outside that dies of the signal that the attempts send.
class Victim {
 public:
  explicit Victim(uid_t user) {
    pid_ = patient_fork();
    REQUIRE(pid_ >= 0);
    if (pid_ > 0) return;
    if (::geteuid() == 0 && user != 0) (void)::setuid(user);
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)::signal(SIGURG, [](int) { ::_exit(0); });
    while (true) ::pause();
  }
  ~Victim() {
    ::kill(pid_, SIGKILL);
    if (!reaped_) ::waitpid(pid_, nullptr, 0);
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;
  pid_t pid() const { return pid_; }
  bool lives() {
    reaped_ = reaped_ || ::waitpid(pid_, nullptr, WNOHANG) == pid_;
    return !reaped_;
  }

 private:
  pid_t pid_ = -1;
  bool reaped_ = false;
};

}  // namespace

TEST_CASE("system calls and signals that few programs make lead out of no sandbox") {
  if (!std::filesystem::exists("/usr/bin/python3")) {
    WARN("not tested: no python3 here");
    return;
  }
  const bool scoped = probe_sandbox_support().landlock_abi >= kAbiScope;
  for (const Machine& machine : machines()) {
    INFO(describe(machine));
    Box box(machine);
    box.write("workspace/attempts.py", kAttempts);
    Victim victim(machine.user);
    const std::string name = "gibbous-escape-" + std::to_string(victim.pid());
    UniqueFd listener(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path + 1, sizeof address.sun_path - 2);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    const BoxResult result =
        box.shell("cd " + box.path("workspace") + " && exec python3 attempts.py " + box.path("") +
                  " " + std::to_string(victim.pid()) + " " + name + (machine.mounts ? " 1" : " 0"));
    INFO(result.output);
    CHECK(result.succeeded());
    CHECK_THAT(result.output, Contains("ports refused"));
    if (scoped) CHECK_THAT(result.output, !Contains("escaped"));
    char byte = 0;
    if (scoped) CHECK(victim.lives());
    if (scoped) CHECK(::recv(listener.get(), &byte, 1, 0) < 0);
    CHECK(text_of(box.path("outside/file")) == "outside\n");
    CHECK_FALSE(std::filesystem::exists(box.path("outside/planted")));
    CHECK_FALSE(std::filesystem::exists(box.path("outside/sock")));
  }
}

}  // namespace gibbous::testing
