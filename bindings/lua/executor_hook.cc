#include "bindings/lua/executor_hook.h"

#include <utility>

namespace gibbous::lua {

HookCall executor_hook(const std::string& executor, const LuaRef& function,
                       const std::string& session, Json arguments) {
  HookCall hook;
  hook.function = &function;
  hook.internal = true;
  hook.tool = "executors." + executor;
  hook.session = session;
  hook.arguments = std::move(arguments);
  return hook;
}

}  // namespace gibbous::lua
