// Notices wake the other processes that share a journal when its queue changes, so that none of
// them has to look again and again. Each process binds one datagram socket below `notices` in the
// state directory, and gives it a name in the folder of each topic that it listens to; a notice is
// a datagram to every socket of a topic. It only says when to look: a notice may get lost or come
// for nothing, so its receiver also looks at long intervals, and trusts no content.
//
// Sockets scale to a thousand processes of one user, where inotify ends at 128.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

// What a commit changed in the queue that other processes may wait for.
struct QueueChanges {
  // Clients of which a run was queued, or of which a run from the queue moved on, and those for
  // which another process left a message.
  std::set<std::string> clients;
  // Workers that have a new request, or a new neighbour (JournalReader::next_worker).
  std::set<std::string> workers;
  // A run in progress ended or was queued again, so that its place is free.
  bool frees_place = false;

  bool empty() const { return clients.empty() && workers.empty() && !frees_place; }
};

std::string topic_of_worker(const std::string& worker_id);
std::string topic_of_client(const std::string& client);
inline constexpr const char* kTopicOfAll = "all";              // every change of a client
inline constexpr const char* kTopicOfPlaces = "places";        // a place became free
inline constexpr const char* kTopicOfUnclaimed = "unclaimed";  // of clients that no process owns

// Sends notices of what a commit changed to all processes but `self` (a worker, or ""). Does
// nothing where no process listens. Any thread.
void send_notices(const std::string& state_directory, const std::string& self,
                  const QueueChanges& changes);

// The receiving end. Not for several threads at once.
class NoticeSocket {
 public:
  // Binds the socket and listens to the worker's own topic. Fails where no socket can be made
  // (state_dir_unusable, notices_unusable).
  static Result<std::unique_ptr<NoticeSocket>> open(const std::string& state_directory,
                                                    const std::string& worker_id);
  ~NoticeSocket();
  NoticeSocket(const NoticeSocket&) = delete;
  NoticeSocket& operator=(const NoticeSocket&) = delete;

  // Readable when notices have come; take() removes them.
  int fd() const { return socket_.get(); }
  void take() const;
  // Listens to another topic, too.
  Status listen(const std::string& topic);
  // Returns false when its names are gone, because the state directory was removed.
  bool is_in_place() const;
  // Removes what another worker, which is dead, has left here.
  void forget(const std::string& worker_id) const;

 private:
  NoticeSocket(std::string directory, std::string worker_id, UniqueFd socket);
  Status add_name(const UniqueFd& directory, const UniqueFd& folder) const;

  std::string directory_;
  std::string worker_id_;
  UniqueFd socket_;
  std::set<std::string> topics_;
};

}  // namespace gibbous
