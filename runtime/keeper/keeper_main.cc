// gibbous-keeper: the process from which every child of a Gibbous runtime descends. Only the
// library starts it, with one end of a socket pair as descriptor 3; server.h says what it does.
// With an argument it is a helper that looks at paths (runtime/paths).
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>
#include <utility>

#include "runtime/keeper/keeper_note.h"
#include "runtime/keeper/server.h"
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
  if (argc > 1 && std::string_view(argv[1]) == gibbous::paths::kHelperArgument) {
    ::prctl(PR_SET_NAME, "gibbous-paths", 0, 0, 0);
    return gibbous::paths::serve(gibbous::UniqueFd(gibbous::kInheritedSocket));
  }
  gibbous::keeper::stay_reachable(gibbous::kInheritedSocket);
  ::prctl(PR_SET_NAME, "gibbous-keeper", 0, 0, 0);
  // Descriptors in transit to a slow library count towards this limit.
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const rlimit raised{files.rlim_max, files.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &raised);

  auto server = Server::create(gibbous::UniqueFd(gibbous::kInheritedSocket), files);
  if (!server) return 1;
  (*server)->run();
  (*server)->tidy();
  return 0;
}
