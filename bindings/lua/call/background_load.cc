#include "bindings/lua/call/background_load.h"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <utility>

#include "bindings/lua/call/context.h"

namespace gibbous::lua {
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

// A host that handles signals gets them on a thread of its own. Throws std::system_error when this
// user or this group may have no thread more.
std::thread quiet_thread(std::function<void()> work) {
  const AllBlocked blocked;
  return std::thread(std::move(work));
}

}  // namespace

BackgroundLoad::BackgroundLoad(const GenerationOptions& options,
                               std::function<void(lua_State*)> open_api, std::uint64_t id,
                               std::shared_ptr<Generation> before, std::function<void()> on_done)
    : options_(options), id_(id), before_(std::move(before)), on_done_(std::move(on_done)) {
  // The loop's thread may change its tools meanwhile.
  if (options_.host_tools != nullptr) host_tools_ = *options_.host_tools;
  options_.host_tools = &host_tools_;
  options_.lazy_policy = false;
  options_.on_deprecated = [this](const std::string& text) { outcome_.deprecated.push_back(text); };
  options_.open_api = [this, open_api = std::move(open_api)](lua_State* state) {
    bind_no_context(state, &outcome_.needs_loop);
    if (open_api) open_api(state);
  };
  thread_ = quiet_thread([this] {
    outcome_.made = Generation::load(options_, id_, /*allow_broken_policy=*/false,
                                     &outcome_.failure, before_.get());
    // A script may have caught the error.
    if (outcome_.needs_loop) outcome_.made.reset();
    on_done_();
  });
}

BackgroundLoad::~BackgroundLoad() {
  thread_.join();
}

BackgroundLoad::Outcome BackgroundLoad::take() {
  return std::move(outcome_);
}

GenerationDisposal::~GenerationDisposal() {
  if (thread_.joinable()) thread_.join();
}

void GenerationDisposal::dispose(std::shared_ptr<Generation> old) {
  if (thread_.joinable()) thread_.join();  // it ended long ago
  const auto held = std::make_shared<std::shared_ptr<Generation>>(std::move(old));
  try {
    thread_ = quiet_thread([held] { held->reset(); });
  } catch (const std::system_error&) {
    held->reset();  // here, then
  }
}

}  // namespace gibbous::lua
