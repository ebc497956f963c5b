// gibbous-keeper: the process from which every child of a Gibbous runtime descends. Only the
// library starts it, with one end of a socket pair as descriptor 3; server.h says what it does.
// With an argument it is a helper that looks at paths (runtime/paths).
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "runtime/keeper/keeper_note.h"
#include "runtime/keeper/server.h"
#include "runtime/keeper/warden.h"
#include "runtime/keeper/wire.h"
#include "runtime/paths/helper.h"
#include "runtime/process/launch.h"

namespace {

[[gnu::section(".note.gibbous"), gnu::used, gnu::aligned(4)]] const gibbous::KeeperNote kNote{
    .version = gibbous::wire::kVersion};

constexpr int kWrongUse = 2;

bool is_message_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

}  // namespace

int main(int argc, char** argv) {
  using gibbous::keeper::Server;
  if (!is_message_socket(gibbous::kInheritedSocket)) {
    std::fputs("gibbous-keeper is started by Gibbous; there is nothing to do by hand.\n", stderr);
    return kWrongUse;
  }
  ::fcntl(gibbous::kInheritedSocket, F_SETFD, FD_CLOEXEC);
  using gibbous::keeper::WardenPage;
  WardenPage* page = nullptr;
  if (argc > 1 && std::string_view(argv[1]) == gibbous::paths::kHelperArgument) {
    ::prctl(PR_SET_NAME, "gibbous-paths", 0, 0, 0);
    return gibbous::paths::serve(gibbous::UniqueFd(gibbous::kInheritedSocket));
  }
  // The keeper is the child, so that the warden inherits what the keeper leaves. Without memory or
  // a process for a warden there is none.
  ucred host{};
  socklen_t size = sizeof host;
  ::getsockopt(gibbous::kInheritedSocket, SOL_SOCKET, SO_PEERCRED, &host, &size);
  page = WardenPage::map();
  // Its end at the keeper closes with the keeper, and continues a warden that somebody has stopped.
  std::array<int, 2> alarm{-1, -1};
  (void)::pipe2(alarm.data(), O_CLOEXEC);
  const pid_t warden = ::getpid();
  if (page != nullptr) page->set_warden(warden);
  const pid_t keeper = page == nullptr ? -1 : ::fork();
  if (keeper > 0) {
    ::close(gibbous::kInheritedSocket);
    ::close(alarm[1]);
    gibbous::keeper::stay_reachable(alarm[0]);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const gibbous::UniqueFd process(
        host.pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, host.pid, 0U)) : -1);
    gibbous::keeper::guard(keeper, process, *page, std::span(argv[0], std::strlen(argv[0])));
    return 0;
  }
  if (keeper == 0) {
    // Until its host knows this process, what ends the warden ends it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != warden) return 1;
    ::close(alarm[0]);
    ::setsid();
  }
  gibbous::keeper::stay_reachable(gibbous::kInheritedSocket);
  ::prctl(PR_SET_NAME, "gibbous-keeper", 0, 0, 0);
  // Descriptors in transit to a slow library count towards this limit.
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const rlimit raised{files.rlim_max, files.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &raised);

  auto server = Server::create(gibbous::UniqueFd(gibbous::kInheritedSocket), files, page);
  if (!server) return 1;
  (*server)->run();
  (*server)->tidy();
  return 0;
}
