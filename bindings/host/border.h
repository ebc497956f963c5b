// Border: what lies between a host and its runtime. It says why a method must not be carried out
// here and now, and keeps what callbacks throw on the host's side. Callbacks hold it too, because
// one may delete the runtime. check() and is_here(): any thread, also in a forked child; everything
// else: the runtime's thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "gibbous/runtime.h"

namespace gibbous::host {

class Border {
 public:
  Border();

  // `outside`: the method must not be called from inside a callback.
  Refusal check(bool outside = false) const;
  // Whether this is the thread and the process of the runtime.
  bool is_here() const { return where() == Refusal::kNone; }
  // From now on, everything is refused as closed.
  void close() { closed_ = true; }
  bool is_closed() const { return closed_; }
  bool is_inside() const { return depth_ > 0; }

  // Calls a callback of the host; `name` says which one for people.
  template <typename Callback>
  static void call(const std::shared_ptr<Border>& border, const char* name,
                   const Callback& callback) {
    ++border->depth_;
    std::string thrown;
    try {
      callback();
    } catch (const std::exception& error) {
      thrown = error.what();
      if (thrown.empty()) thrown = "an exception without a message";
    } catch (...) {
      thrown = "an exception of an unknown type";
    }
    --border->depth_;
    if (!thrown.empty() && border->on_thrown) border->on_thrown(name, thrown);
  }

  // What a callback threw. Unset when nobody can be told any more.
  std::function<void(const char* name, const std::string& what)> on_thrown;

 private:
  Refusal where() const;

  std::thread::id thread_;
  pid_t process_;
  int depth_ = 0;  // of callbacks
  std::atomic<bool> closed_{false};
};

}  // namespace gibbous::host
