// Link: one started keeper as KeeperClient sees it: the process, the socket, and the libuv handles
// that watch both. Loop thread only.
#pragma once

#include <sys/resource.h>
#include <uv.h>

#include <array>
#include <cstdint>
#include <string>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/keeper/channel.h"
#include "runtime/keeper/keeper_program.h"
#include "runtime/keeper/loop_timer.h"
#include "runtime/keeper/wire.h"

namespace gibbous {

class Link;

class LinkOwner {
 public:
  virtual ~LinkOwner() = default;
  // False: the message is invalid. May close the link.
  virtual bool on_message(const wire::Header& header, Channel::Received& received) = 0;
  // The keeper has ended, or was killed because it is unusable. Comes once; the owner must close
  // the link.
  virtual void on_lost(Link& link, std::string reason) = 0;
  // Asked between two messages: false leaves the others to the loop's next turn.
  virtual bool has_time() = 0;
};

class Link {
 public:
  // Starts the keeper and sends the first message. The owner and `handles` must outlive the link.
  // `open_files`: KeeperOptions::open_files.
  static Result<Link*> open(uv_loop_t* loop, const KeeperProgram& program, std::uint64_t open_files,
                            LinkOwner& owner, OpenHandles& handles);
  // Connects to a keeper of detached runs; on_message reports them.
  static Result<Link*> adopt(uv_loop_t* loop, const std::string& control_socket, LinkOwner& owner,
                             OpenHandles& handles);
  // Undoes what a run has done to the keeper's limits; false: it cannot, and the keeper may start
  // nothing any more.
  bool restore_limits();
  // Ends the keeper, which the owner is then told of.
  void give_up(std::string reason) { lose(std::move(reason)); }
  // It ends, and answers no more.
  void expect_nothing() { expects_ = false; }
  // Nothing is reported afterwards. Frees the link once libuv releases its handles.
  void close();

  pid_t pid() const { return pid_; }
  bool greeted() const { return greeted_; }  // the keeper has answered
  std::uint32_t keeper_number() const { return keeper_number_; }
  wire::Buffer& buffer() { return buffer_; }  // where messages are encoded
  // Sends what is in buffer().
  void send(FdList fds = {});

 private:
  Link(uv_loop_t* loop, std::string path, LinkOwner& owner, OpenHandles& handles, UniqueFd socket);
  ~Link() = default;
  int watch();  // 0, or libuv's error
  void note_limits();
  void greet();
  void on_socket(int status, int events);
  void on_process();
  void receive_some(int limit);
  bool take_hello(const wire::Header& header, const Channel::Received& received);
  bool take_message(const wire::Header& header, Channel::Received& received);
  // A pidfd of the keeper itself; of its warden until it has answered.
  int keeper() const { return keeper_ ? keeper_.get() : pidfd_.get(); }
  void lose(std::string reason);
  void keep_going();
  void await_answer();
  void on_closed();
  void free_self();
  static void on_uv_socket(uv_poll_t* poll, int status, int events) noexcept;
  static void on_uv_process(uv_poll_t* poll, int status, int events) noexcept;
  static void on_uv_closed(uv_handle_t* handle) noexcept;

  std::string path_;
  LinkOwner& owner_;
  OpenHandles& handles_;
  Channel channel_;
  UniqueFd pidfd_;   // of what was started: the warden, which ends after the keeper
  UniqueFd keeper_;  // unset where it is the same, or has not answered yet
  pid_t pid_ = 0;    // of the keeper, as far as it is known
  std::uint32_t keeper_number_ = 0;
  wire::Buffer buffer_;
  uv_loop_t* loop_;
  uv_poll_t socket_poll_{};
  uv_poll_t process_poll_{};
  LoopTimer retry_;      // repeats sends that the kernel refused
  LoopTimer handshake_;  // ends the wait for the keeper's hello
  LoopTimer pulse_;      // checks whether the keeper is stopped: seldom, and soon after a message
  int looks_soon_ = 0;   // number of looks in a row that come soon
  bool expects_ = true;
  bool asked_ = false;                         // the keeper owes an answer
  int silent_looks_ = 0;                       // since it was asked
  std::array<rlimit, RLIM_NLIMITS> limits_{};  // of the keeper, when it began
  int suspicion_ = 0;                          // that the keeper is stopped on purpose
  int events_ = 0;
  int open_polls_ = 0;
  bool adopting_ = false;  // the keeper may have another host
  bool greeted_ = false;
  bool lost_ = false;
  bool closing_ = false;
};

}  // namespace gibbous
