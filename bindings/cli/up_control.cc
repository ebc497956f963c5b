// See up_control.h.
#include "bindings/cli/up_control.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/json/text.h"
#include "runtime/base/listing.h"
#include "runtime/base/sha256.h"
#include "runtime/base/state_file.h"
#include "runtime/process/ancestry.h"

namespace gibbous::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kControlFolder = "/up";
constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kMaxLine = 4096;
constexpr std::size_t kMaxConnections = 16;
constexpr int kControlBacklog = 8;
// Longer than the grace before SIGKILL, and than a start on a busy machine.
constexpr std::chrono::seconds kControlPatience{60};

std::string place_name(const std::string& workspace) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(workspace, error);
  return sha256_hex(error ? workspace : real.string()).substr(0, kHashDigits);
}

// A path through the descriptor is short, whatever the state directory is called.
sockaddr_un address_of(const UniqueFd& directory, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(directory.get()) + "/" + name;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

bool is_same_user(const UniqueFd& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

Status control_problem(const std::string& what) {
  return Status::error("control_failed", what + ": " + std::strerror(errno));
}

bool send_line(int socket, const Json& value) {
  const std::string line = to_text(value) + "\n";
  return ::send(socket, line.data(), line.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(line.size());
}

std::vector<std::string> sockets_of(const UniqueFd& directory, const std::string& place) {
  std::vector<std::string> names;
  Listing listing(directory.get());
  while (const dirent* entry = listing.next()) {
    const std::string name = entry->d_name;
    if (name.starts_with(place + "-")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Connects; removes the socket of a process that was killed.
UniqueFd connect_to(const UniqueFd& directory, const std::string& name) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_of(directory, name);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return is_same_user(socket) ? std::move(socket) : UniqueFd();
  }
  if (errno == ECONNREFUSED) (void)::unlinkat(directory.get(), name.c_str(), 0);
  return {};
}

Result<Json> read_answer(const UniqueFd& socket) {
  const auto deadline = std::chrono::steady_clock::now() + kControlPatience;
  std::string text;
  while (text.find('\n') == std::string::npos && text.size() <= kMaxLine) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd waiting{socket.get(), POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : ::poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    char bytes[kMaxLine];
    const ssize_t count = ready <= 0 ? 0 : ::recv(socket.get(), bytes, sizeof bytes, 0);
    if (count <= 0) break;
    text.append(bytes, static_cast<std::size_t>(count));
  }
  Json answer = Json::parse(text, nullptr, false);
  if (answer.is_object()) return answer;
  return Status::error("up_not_answering", "'gibbous up' has not answered within " +
                                               std::to_string(kControlPatience.count()) +
                                               " s, or has ended; see its output");
}

}  // namespace

UpControl::UpControl(UniqueFd directory, UniqueFd listener, std::string name)
    : directory_(std::move(directory)), listener_(std::move(listener)), name_(std::move(name)) {}

UpControl::~UpControl() {
  (void)::unlinkat(directory_.get(), name_.c_str(), 0);
}

Result<std::unique_ptr<UpControl>> UpControl::create(const std::string& state_dir,
                                                     const std::string& workspace) {
  Result<UniqueFd> directory = open_state_directory(state_dir + kControlFolder, true);
  if (!directory) return directory.status();
  std::string name = place_name(workspace) + "-" + std::to_string(::getpid());
  // An earlier process may have had this number.
  (void)::unlinkat(directory->get(), name.c_str(), 0);
  UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!listener) return control_problem("socket");
  const sockaddr_un address = address_of(*directory, name);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return control_problem("bind");
  }
  if (::listen(listener.get(), kControlBacklog) != 0) return control_problem("listen");
  return std::unique_ptr<UpControl>(
      new UpControl(std::move(*directory), std::move(listener), std::move(name)));
}

void UpControl::add_descriptors(std::vector<pollfd>* descriptors) const {
  descriptors->push_back({listener_.get(), POLLIN, 0});
  for (const Connection& each : connections_) {
    // One that has asked waits for its answer: only its end is of interest, which poll always
    // tells.
    descriptors->push_back({each.fd.get(), static_cast<short>(each.asked ? 0 : POLLIN), 0});
  }
}

// Returns false when the connection has ended, or sends what is no request.
bool UpControl::read(Connection& connection) {
  char bytes[kMaxLine];
  const ssize_t count = ::recv(connection.fd.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  connection.text.append(bytes, static_cast<std::size_t>(count));
  return connection.text.size() <= kMaxLine;
}

std::vector<ControlRequest> UpControl::take() {
  while (connections_.size() < kMaxConnections) {
    UniqueFd made(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!made) break;
    if (is_same_user(made) && !is_peer_of_run(made.get()))
      connections_.push_back({++last_connection_, std::move(made), "", false});
  }
  std::vector<ControlRequest> requests;
  std::erase_if(connections_, [](Connection& each) { return !read(each); });
  for (Connection& each : connections_) {
    if (each.asked || each.text.find('\n') == std::string::npos) continue;
    each.asked = true;
    const Json asked = parse_object(each.text, kMaxLine);
    requests.push_back({each.id, text_member(asked, "action"), text_member(asked, "service")});
  }
  return requests;
}

void UpControl::answer(std::uint64_t connection, const Json& answer) {
  const auto found = std::find_if(
      connections_.begin(), connections_.end(),
      [connection](const Connection& each) { return each.asked && each.id == connection; });
  if (found == connections_.end()) return;
  (void)send_line(found->fd.get(), answer);
  connections_.erase(found);
}

Result<Json> ask_up(const std::string& state_dir, const std::string& directory,
                    const std::string& action, const std::string& service) {
  const Status none = Status::error("up_not_running",
                                    "no 'gibbous up' of this workspace is running; start it in "
                                    "another terminal");
  const Result<UniqueFd> folder = open_state_directory(state_dir + kControlFolder, false);
  if (!folder) return folder.status().code() == "state_dir_missing" ? none : folder.status();
  std::error_code error;
  fs::path place = fs::weakly_canonical(directory, error);
  for (;;) {
    Result<Json> refused = none;
    for (const std::string& name : sockets_of(*folder, place_name(place.string()))) {
      const UniqueFd socket = connect_to(*folder, name);
      if (!socket || !send_line(socket.get(), {{"action", action}, {"service", service}})) continue;
      Result<Json> answer = read_answer(socket);
      if (!answer || answer->value("code", "") != "service_not_found") return answer;
      refused = std::move(answer);
    }
    if (refused || place == place.root_path() || place.empty()) return refused;
    place = place.parent_path();
  }
}

}  // namespace gibbous::cli
