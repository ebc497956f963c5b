#include "bindings/lua/call/background_load.h"

#include <system_error>
#include <utility>

#include "bindings/lua/call/context.h"
#include "runtime/base/quiet_thread.h"

namespace gibbous::lua {

BackgroundLoad::BackgroundLoad(const GenerationOptions& options,
                               std::function<void(lua_State*)> open_api, std::uint64_t id,
                               std::shared_ptr<Generation> before, std::function<void()> on_done)
    : options_(options), id_(id), before_(std::move(before)), on_done_(std::move(on_done)) {
  // The loop's thread may change its tools meanwhile.
  if (options_.host_tools != nullptr) host_tools_ = *options_.host_tools;
  options_.host_tools = &host_tools_;
  options_.lazy_policy = false;
  options_.open_api = [this, open_api = std::move(open_api)](lua_State* state) {
    bind_no_context(state, &outcome_.needs_loop);
    if (open_api) open_api(state);
  };
  thread_ = quiet_thread([this] {
    outcome_.made = Generation::load(options_, id_, /*allow_broken_policy=*/false,
                                     &outcome_.failure, before_.get());
    // A script may have caught the error.
    if (outcome_.needs_loop) outcome_.made.reset();
    if (outcome_.made) {
      outcome_.made->policy().warm();
      // What loading left behind would be collected in the middle of a call.
      outcome_.made->state().collect();
    }
    on_done_();
  });
}

BackgroundLoad::~BackgroundLoad() {
  thread_.join();
}

BackgroundLoad::Outcome BackgroundLoad::take() {
  return std::move(outcome_);
}

}  // namespace gibbous::lua
