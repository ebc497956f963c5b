// BackgroundLoad: the next generation, read and run on a thread of its own, so that a reload costs
// the loop only the swap. Scripts that use the runtime while they load, such as a `store` or the
// list of runs, cannot be loaded there: the outcome says so. Loop thread, but for `on_done`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bindings/lua/load/generation.h"
#include "bindings/lua/load/host_tools.h"

namespace gibbous::lua {

class BackgroundLoad {
 public:
  struct Outcome {
    std::shared_ptr<Generation> made;  // null: it failed. No context is bound to its state
    LoadFailure failure;
    bool needs_loop = false;  // it failed because a script needs the runtime
  };
  // `before` is the generation in force, for what is the same in both; null when its policy has not
  // been read yet. `open_api` opens the API in a state without a context. `on_done` comes on the
  // thread, once; then take() is there. Throws std::system_error when there can be no thread.
  BackgroundLoad(const GenerationOptions& options, std::function<void(lua_State*)> open_api,
                 std::uint64_t id, std::shared_ptr<Generation> before,
                 std::function<void()> on_done);
  // Waits for the thread, which the budgets of a load bound.
  ~BackgroundLoad();
  BackgroundLoad(const BackgroundLoad&) = delete;
  BackgroundLoad& operator=(const BackgroundLoad&) = delete;

  Outcome take();

 private:
  GenerationOptions options_;
  HostTools host_tools_;
  std::uint64_t id_;
  std::shared_ptr<Generation> before_;
  std::function<void()> on_done_;
  Outcome outcome_;
  std::thread thread_;
};

}  // namespace gibbous::lua
