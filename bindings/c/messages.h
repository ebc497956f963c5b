// The queue of one runtime: what happens becomes messages, which the host takes one by one. The
// runtime's thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "gibbous.h"
#include "gibbous/runtime.h"

namespace gibbous::c {

struct Message {
  gib_kind kind = GIB_EVENT;
  std::int64_t call = 0;
  std::uint64_t token = 0;
  std::string json;
};

class Messages {
 public:
  void add(Message message);
  bool empty() const { return waiting_.empty(); }
  // Takes the oldest; there must be one.
  Message take();

 private:
  // A host that takes no messages must not fill the memory: the oldest events and logs go first.
  // The other kinds are bounded by what the host has started.
  void make_room();

  std::deque<Message> waiting_;
  std::size_t droppable_ = 0;
  std::uint64_t dropped_ = 0;
};

// The JSON of messages. `data` and `arguments` are JSON already, and go in as they are.
std::string result_json(const CallResult& result);
std::string progress_json(const Progress& progress);
std::string ask_json(const AskRequest& request);
std::string input_json(const InputRequest& request);
std::string host_call_json(const char* kind, const std::string& name, const std::string& arguments,
                           const std::string& session);
std::string list_json(const char* name, const std::vector<std::string>& items);

}  // namespace gibbous::c
