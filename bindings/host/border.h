// Border: what lies between a host and its runtime. It says why a method must not be carried out
// here and now, and keeps what callbacks throw on the host's side. Callbacks hold it too, because
// one may delete the runtime. check() and is_here(): any thread, also in a forked child; everything
// else: the runtime's thread.
#pragma once

#include <cxxabi.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gibbous/runtime.h"

namespace gibbous::host {

// False in a child that was forked while its parent had a runtime: what a thread of the parent's
// had locked at that moment (in malloc, in SQLite) stays locked. Any thread.
bool may_have_runtimes();

class Border {
 public:
  Border();
  ~Border();
  Border(const Border&) = delete;
  Border& operator=(const Border&) = delete;

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
    } catch (const abi::__forced_unwind&) {
      --border->depth_;
      throw;  // the host ends this thread
    } catch (const std::exception& error) {
      thrown = error.what();
      if (thrown.empty()) thrown = "an exception without a message";
    } catch (...) {
      // No Lua error of ours comes this way: nothing that a callback may call runs a script, also
      // not where a policy calls it (HostFunction::pure).
      thrown = "an exception of an unknown type";
    }
    --border->depth_;
    if (!thrown.empty() && border->on_thrown) border->on_thrown(name, thrown);
  }

  // Keeps a callback of the host. What it captures may end the runtime when it is destroyed, so
  // that counts as inside a callback, too.
  template <typename Callback>
  static std::shared_ptr<const Callback> hold(const std::shared_ptr<Border>& border,
                                              Callback callback) {
    return {new Callback(std::move(callback)), [border](const Callback* held) {
              // Work that post() refuses is destroyed on its own thread, which counts nothing: the
              // depth is the runtime's.
              const bool is_here = border->is_here();
              if (is_here) ++border->depth_;
              delete held;
              if (is_here) --border->depth_;
            }};
  }

  // Keeps what must be destroyed on the runtime's thread, and was dropped elsewhere, until free().
  void keep(std::shared_ptr<const void> dropped);
  void free();

  // What a callback threw. Unset when the host can no longer be told.
  std::function<void(const char* name, const std::string& what)> on_thrown;

 private:
  Refusal where() const;

  std::uint64_t thread_;
  pid_t process_;
  int depth_ = 0;  // of callbacks
  std::mutex mutex_;
  std::vector<std::shared_ptr<const void>> kept_;  // under the mutex
  std::atomic<bool> closed_{false};
};

// A function of the runtime that the host may call or drop anywhere: elsewhere than on its thread
// it does nothing (and returns false), and what it was about waits for its end.
template <typename Argument, typename Returned>
std::function<Returned(const Argument&)> behind(const std::shared_ptr<Border>& border,
                                                std::function<Returned(const Argument&)> function) {
  using Function = std::function<Returned(const Argument&)>;
  std::shared_ptr<Function> held(new Function(std::move(function)), [border](Function* dropped) {
    std::shared_ptr<const void> owned(dropped, std::default_delete<Function>());
    if (!border->is_here()) border->keep(std::move(owned));
  });
  return [border, held](const Argument& argument) {
    return border->check() == Refusal::kNone ? (*held)(argument) : Returned();
  };
}

}  // namespace gibbous::host
