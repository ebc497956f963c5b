// How `gibbous restart`, `stop` and `start` reach a running `gibbous up`: a socket in the state
// directory, named after the workspace and the process. A request is one line of JSON, and so is
// its answer. Both sides belong to the same user. Main thread.
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::cli {

struct ControlRequest {
  std::uint64_t connection = 0;  // for answer()
  std::string action;            // restart, stop or start
  std::string service;
};

// The side of `gibbous up`.
class UpControl {
 public:
  static Result<std::unique_ptr<UpControl>> create(const std::string& state_dir,
                                                   const std::string& workspace);
  // Removes the socket.
  ~UpControl();
  UpControl(const UpControl&) = delete;
  UpControl& operator=(const UpControl&) = delete;

  void add_descriptors(std::vector<pollfd>* descriptors) const;
  // Accepts and reads what is there, without waiting. Returns the requests that are complete.
  std::vector<ControlRequest> take();
  // Sends the answer and closes the connection; does nothing when that has gone.
  void answer(std::uint64_t connection, const Json& answer);

 private:
  struct Connection {
    std::uint64_t id = 0;
    UniqueFd fd;
    std::string text;
    bool asked = false;
  };
  UpControl(UniqueFd directory, UniqueFd listener, std::string name);
  static bool read(Connection& connection);

  UniqueFd directory_;
  UniqueFd listener_;
  std::string name_;
  std::vector<Connection> connections_;
  std::uint64_t last_connection_ = 0;
};

// Asks every `gibbous up` of the workspace around `directory` until one has the service. Returns
// the answer: {"text": ...} or {"code": ..., "message": ...}. Fails with up_not_running, or with
// up_not_answering.
Result<Json> ask_up(const std::string& state_dir, const std::string& directory,
                    const std::string& action, const std::string& service);

}  // namespace gibbous::cli
