#include "runtime/base/quiet_thread.h"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <utility>

namespace gibbous {
namespace {

class AllBlocked {
 public:
  AllBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllBlocked(const AllBlocked&) = delete;
  AllBlocked& operator=(const AllBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

std::thread quiet_thread(std::function<void()> work) {
  const AllBlocked blocked;
  return std::thread(std::move(work));
}

std::thread quiet_thread(const char* name, std::function<void()> work) {
  return quiet_thread([name, work = std::move(work)] {
    ::pthread_setname_np(::pthread_self(), name);
    work();
  });
}

bool start_quiet_thread(std::function<void()> work) {
  try {
    quiet_thread(std::move(work)).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace gibbous
