// A path may be too long for a socket's address, so sockets are reached through /proc/self/fd. The
// topics of one socket are hard links to it.
#include "runtime/journal/notices.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/base/file_system.h"
#include "runtime/base/listing.h"
#include "runtime/base/session_name.h"
#include "runtime/base/sha256.h"
#include "runtime/base/state_file.h"

namespace gibbous {
namespace {

constexpr mode_t kOwnerOnly = 0700;
constexpr std::size_t kTopicDigits = 32;
// The most sockets of one topic that a notice goes to.
constexpr int kMaxReceivers = 4096;
// The most names of a topic that a new listener examines.
constexpr int kMaxProbed = 64;
// The kernel keeps this many notices for a socket unless the machine is configured otherwise.
constexpr int kMaxPending = 16;

Status unusable(const std::string& path, int error) {
  return Status::error("notices_unusable", path + ": " + std::strerror(error));
}

std::string folder_of(const std::string& topic) {
  return sha256_hex(topic).substr(0, kTopicDigits);
}

UniqueFd open_folder(int directory, const std::string& name) {
  return UniqueFd(
      ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

sockaddr_un address_of(int folder, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder,
                name.c_str());
  return address;
}

UniqueFd datagram_socket() {
  return UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Calls `visit` with at most this many names in the folder.
template <typename Visit>
void for_each_name(const UniqueFd& folder, int most, Visit visit) {
  Listing list(folder.get());
  while (const dirent* entry = most > 0 ? list.next() : nullptr) {
    if (entry->d_name[0] == '.') continue;
    visit(std::string(entry->d_name));
    --most;
  }
}

void remove_name(const UniqueFd& directory, const std::string& topic, const std::string& name) {
  const std::string folder = folder_of(topic);
  if (const UniqueFd open = open_folder(directory.get(), folder)) {
    ::unlinkat(open.get(), name.c_str(), 0);
  }
  ::unlinkat(directory.get(), folder.c_str(), AT_REMOVEDIR);  // fails while others listen
}

// Removes names that no process listens to any more. Their processes were killed.
void remove_dead_names(const UniqueFd& folder, const std::string& self) {
  const UniqueFd socket = datagram_socket();
  if (!socket) return;
  for_each_name(folder, kMaxProbed, [&](const std::string& name) {
    const sockaddr_un address = address_of(folder.get(), name);
    if (name == self ||
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      return;
    }
    if (errno == ECONNREFUSED) ::unlinkat(folder.get(), name.c_str(), 0);
  });
}

void send_to_topic(const UniqueFd& directory, const UniqueFd& socket, const std::string& topic,
                   const std::string& self) {
  const UniqueFd folder = open_folder(directory.get(), folder_of(topic));
  if (!folder) return;  // no process listens
  for_each_name(folder, kMaxReceivers, [&](const std::string& name) {
    if (name == self) return;
    const sockaddr_un address = address_of(folder.get(), name);
    const char notice = 'n';
    const ssize_t sent = ::sendto(socket.get(), &notice, 1, MSG_NOSIGNAL | MSG_DONTWAIT,
                                  reinterpret_cast<const sockaddr*>(&address), sizeof address);
    // A socket that is full has notices that were not read yet.
    if (sent < 0 && errno == ECONNREFUSED) ::unlinkat(folder.get(), name.c_str(), 0);
  });
}

std::set<std::string> topics_of(const QueueChanges& changes) {
  std::set<std::string> topics;
  for (const std::string& worker : changes.workers) topics.insert(topic_of_worker(worker));
  if (changes.frees_place) topics.insert(kTopicOfPlaces);
  for (const std::string& client : changes.clients) {
    topics.insert({topic_of_client(client), kTopicOfAll});
    if (!is_claimed_session(client)) topics.insert(kTopicOfUnclaimed);
  }
  return topics;
}

}  // namespace

std::string topic_of_worker(const std::string& worker_id) {
  return "worker " + worker_id;
}

std::string topic_of_client(const std::string& client) {
  return "client " + client;
}

void send_notices(const std::string& state_directory, const std::string& self,
                  const QueueChanges& changes) {
  const Result<UniqueFd> directory = open_state_directory(state_directory + "/notices", false);
  const UniqueFd socket = directory ? datagram_socket() : UniqueFd();
  if (!socket) return;
  for (const std::string& topic : topics_of(changes)) {
    send_to_topic(*directory, socket, topic, self);
  }
}

Result<std::unique_ptr<NoticeSocket>> NoticeSocket::open(const std::string& state_directory,
                                                         const std::string& worker_id) {
  const FileSystem system = file_system_of(state_directory);
  if (!system.shares_memory) {
    return Status::error(
        "notices_unusable",
        state_directory + ": sockets do not reach other machines (" + system.name + ")");
  }
  UniqueFd socket = datagram_socket();
  if (!socket) return unusable(state_directory, errno);
  std::unique_ptr<NoticeSocket> made(
      new NoticeSocket(state_directory + "/notices", worker_id, std::move(socket)));
  if (Status status = made->listen(topic_of_worker(worker_id)); !status) return status;
  return made;
}

NoticeSocket::NoticeSocket(std::string directory, std::string worker_id, UniqueFd socket)
    : directory_(std::move(directory)),
      worker_id_(std::move(worker_id)),
      socket_(std::move(socket)) {}

NoticeSocket::~NoticeSocket() {
  const Result<UniqueFd> directory = open_state_directory(directory_, false);
  if (!directory) return;
  for (const std::string& topic : topics_) remove_name(*directory, topic, worker_id_);
}

void NoticeSocket::take() const {
  char notice = 0;
  for (int i = 0; i < kMaxPending; ++i) {
    if (::recv(socket_.get(), &notice, 1, MSG_DONTWAIT) < 0) return;
  }
}

Status NoticeSocket::listen(const std::string& topic) {
  if (topics_.count(topic) != 0) return {};
  const Result<UniqueFd> directory = open_state_directory(directory_, true);
  if (!directory) return directory.status();
  const std::string name = folder_of(topic);
  // Another process removes the folder together with its last name, perhaps in between.
  constexpr int kAttempts = 8;
  Status status;
  for (int i = 0; i < kAttempts; ++i) {
    if (::mkdirat(directory->get(), name.c_str(), kOwnerOnly) != 0 && errno != EEXIST) {
      return unusable(directory_, errno);
    }
    const UniqueFd folder = open_folder(directory->get(), name);
    status = folder ? add_name(*directory, folder) : unusable(directory_, errno);
    if (!status) continue;
    remove_dead_names(folder, worker_id_);
    topics_.insert(topic);
    break;
  }
  return status;
}

// The first name is the socket itself.
Status NoticeSocket::add_name(const UniqueFd& directory, const UniqueFd& folder) const {
  int made = 0;
  if (topics_.empty()) {
    const sockaddr_un address = address_of(folder.get(), worker_id_);
    made = ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } else {
    const std::string own = folder_of(topic_of_worker(worker_id_)) + "/" + worker_id_;
    made = ::linkat(directory.get(), own.c_str(), folder.get(), worker_id_.c_str(), 0);
  }
  return made == 0 ? Status() : unusable(directory_, errno);
}

bool NoticeSocket::is_in_place() const {
  const std::string own = directory_ + "/" + folder_of(topic_of_worker(worker_id_));
  return ::access((own + "/" + worker_id_).c_str(), F_OK) == 0;
}

void NoticeSocket::forget(const std::string& worker_id) const {
  const Result<UniqueFd> directory = open_state_directory(directory_, false);
  if (directory) remove_name(*directory, topic_of_worker(worker_id), worker_id);
}

}  // namespace gibbous
