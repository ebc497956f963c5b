// The unix socket of the server: for whom it is, what it replaces and what it leaves alone.
#include "bindings/mcp/http/unix_listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/bindings/mcp/http/http_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::mcp::http {
namespace {

struct Directory {
  Directory() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
  ~Directory() {
    for (const char* name : {"/s", "/other", "/link/s", "/link"}) ::unlink((path + name).c_str());
    ::rmdir(path.c_str());
  }
  std::string path = "/tmp/gibbous-unix-XXXXXX";
};

bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

UniqueFd connect_to(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    socket.reset();
  }
  return socket;
}

TEST_CASE("a unix socket is for its owner, and goes with its server") {
  const Directory directory;
  const std::string path = directory.path + "/s";
  {
    const Result<UnixListener> listener = listen_unix(path);
    REQUIRE(listener);
    struct stat info {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0600);
    CHECK(connect_to(path));
  }
  CHECK_FALSE(exists(path));
}

TEST_CASE("a socket at which nobody listens is replaced, one in use is not") {
  const Directory directory;
  const std::string path = directory.path + "/s";
  Result<UnixListener> first = listen_unix(path);
  REQUIRE(first);
  const Result<UnixListener> second = listen_unix(path);
  REQUIRE_FALSE(second);
  CHECK(second.status().message().find("another program listens") != std::string::npos);
  first->socket.reset();  // as if its server was killed
  Result<UnixListener> third = listen_unix(path);
  REQUIRE(third);
  // The end of the first one does not remove the socket of the third.
  first->place.reset();
  CHECK(connect_to(path));
}

TEST_CASE("links are not followed, and other files stay") {
  const Directory directory;
  const std::string path = directory.path + "/s";
  const std::string other = directory.path + "/other";
  REQUIRE(::symlink(other.c_str(), path.c_str()) == 0);
  const Result<UnixListener> linked = listen_unix(path);
  REQUIRE_FALSE(linked);
  CHECK(linked.status().message().find("symbolic link") != std::string::npos);
  CHECK_FALSE(exists(other));
  REQUIRE(::unlink(path.c_str()) == 0);
  std::ofstream(path) << "a file";
  const Result<UnixListener> file = listen_unix(path);
  REQUIRE_FALSE(file);
  CHECK(file.status().message().find("no socket") != std::string::npos);
  CHECK(exists(path));

  const std::string link = directory.path + "/link";
  REQUIRE(::symlink(directory.path.c_str(), link.c_str()) == 0);
  const Result<UnixListener> behind = listen_unix(link + "/s");
  REQUIRE_FALSE(behind);
  CHECK(behind.status().message().find("symbolic link") != std::string::npos);
  CHECK_FALSE(listen_unix(directory.path + "/"));
  CHECK_FALSE(listen_unix(directory.path + "/missing/s"));
  CHECK_FALSE(listen_unix(directory.path + "/" + std::string(200, 'x')));
}

TEST_CASE("a client on the unix socket needs neither token nor name") {
  const Directory directory;
  HttpOptions options;
  Result<UnixListener> at = listen_unix(directory.path + "/s");
  REQUIRE(at);
  Listener listener;
  listener.socket = std::move(at->socket);
  listener.place = std::move(at->place);
  listener.access.any_name = true;
  options.listeners.push_back(std::move(listener));
  DrivenFakeRuntime runtime;
  const ManualClock clock;
  auto transport = std::move(*Transport::create(runtime, std::move(options), clock, "1.2.3"));
  const UniqueFd client = connect_to(directory.path + "/s");
  REQUIRE(client);
  const std::string request = HttpClient::modern(Fixture::modern(1, "server/discover"),
                                                 {{"Authorization", ""}, {"Host", "x"}});
  REQUIRE(::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(request.size()));
  std::string heard;
  for (int turn = 0; turn < 1000 && heard.find("\r\n\r\n") == std::string::npos; ++turn) {
    transport->turn(std::chrono::milliseconds(10));
    std::array<char, 4096> buffer{};
    const ssize_t count = ::recv(client.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) heard.append(buffer.data(), static_cast<std::size_t>(count));
  }
  CHECK(heard.compare(0, 12, "HTTP/1.1 200") == 0);
  transport->stop();
  CHECK_FALSE(exists(directory.path + "/s"));
}

}  // namespace
}  // namespace gibbous::mcp::http
