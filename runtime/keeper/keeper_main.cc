// gibbous-keeper: the process from which every child of a Gibbous runtime descends. Only the
// library starts it, with one end of a socket pair as descriptor 3; server.h says what it does.
// With an argument it is a process of another part: one that looks at paths (runtime/paths), tries
// a start out (starter.h) or forwards ports (runtime/network).
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/keeper/keeper_note.h"
#include "runtime/keeper/keeper_program.h"
#include "runtime/keeper/server.h"
#include "runtime/keeper/starter.h"
#include "runtime/keeper/warden.h"
#include "runtime/keeper/wire.h"
#include "runtime/network/forwarder.h"
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

using gibbous::keeper::WardenPage;

// What is started becomes the warden, and its child the keeper, so that the warden inherits what
// the keeper leaves. Returns false in the keeper, true in the warden once it has nothing left to
// guard. Without a process for it there is none.
bool stand_guard(WardenPage& page, std::span<char> name) {
  ucred host{};
  socklen_t size = sizeof host;
  ::getsockopt(gibbous::kInheritedSocket, SOL_SOCKET, SO_PEERCRED, &host, &size);
  const gibbous::UniqueFd process(
      host.pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, host.pid, 0U)) : -1);
  // Its other end only the keeper keeps: it closes with the keeper, and continues a warden that a
  // run has stopped.
  std::array<int, 2> alarm{-1, -1};
  (void)::pipe2(alarm.data(), O_CLOEXEC);
  const pid_t own = ::getpid();
  page.set_warden(own);
  const pid_t keeper = ::fork();
  if (keeper > 0) {
    ::close(gibbous::kInheritedSocket);
    ::close(alarm[1]);
    gibbous::keeper::stay_reachable(alarm[0]);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    gibbous::keeper::guard(keeper, process, page, name);
    return true;
  }
  if (keeper < 0) {
    page.set_warden(0);
    for (const int end : alarm) ::close(end);
    return false;
  }
  // Until its host knows this process, what ends the warden ends it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (::getppid() != own) return true;
  ::close(alarm[0]);
  ::setsid();
  return false;
}

// What the library says of the limit that runs get; its own may be higher.
rlim_t open_files_in(std::string_view argument, rlim_t otherwise) {
  const std::string_view name = gibbous::kOpenFilesArgument;
  if (!argument.starts_with(name)) return otherwise;
  rlim_t limit = 0;
  const char* const end = argument.data() + argument.size();
  const auto read = std::from_chars(argument.data() + name.size(), end, limit);
  return read.ec == std::errc() && read.ptr == end ? limit : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  using gibbous::keeper::Server;
  const std::string_view part(argc > 1 ? argv[1] : "");
  const std::span words(argv, static_cast<std::size_t>(argc));
  // Launched by a keeper; they end without tidying up, because they may hang at it.
  if (part == gibbous::keeper::kTryStartArgument) ::_exit(gibbous::keeper::try_start());
  if (part == gibbous::network::kForwardArgument) {
    ::_exit(gibbous::network::forward(words.subspan(2)));
  }
  if (!is_message_socket(gibbous::kInheritedSocket)) {
    std::fputs("gibbous-keeper is started by Gibbous; there is nothing to do by hand.\n", stderr);
    return kWrongUse;
  }
  ::fcntl(gibbous::kInheritedSocket, F_SETFD, FD_CLOEXEC);
  // No run of an unprivileged user may trace what guards it.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (part == gibbous::paths::kHelperArgument) {
    ::prctl(PR_SET_NAME, "gibbous-paths", 0, 0, 0);
    return gibbous::paths::serve(gibbous::UniqueFd(gibbous::kInheritedSocket));
  }
  WardenPage* const page = WardenPage::map();
  if (page != nullptr && stand_guard(*page, std::span(argv[0], std::strlen(argv[0])))) return 0;
  gibbous::keeper::stay_reachable(gibbous::kInheritedSocket);
  ::prctl(PR_SET_NAME, "gibbous-keeper", 0, 0, 0);
  // Descriptors in transit to a slow library count towards this limit.
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const rlimit raised{files.rlim_max, files.rlim_max};
  if (argc > 1) files.rlim_cur = std::min(files.rlim_cur, open_files_in(argv[1], files.rlim_cur));
  ::setrlimit(RLIMIT_NOFILE, &raised);

  auto server = Server::create(gibbous::UniqueFd(gibbous::kInheritedSocket), files, page);
  if (!server) return 1;
  (*server)->run();
  (*server)->tidy();
  return 0;
}
