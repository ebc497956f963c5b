// Variables of a start whose values are secrets: the call names them, and they are looked up when
// the run starts. Their values are in its environment, and nowhere else (docs/secrets.md). Loop
// thread only.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "gibbous/status.h"

namespace gibbous::lua {

class Call;
struct Context;

using SecretNames = std::map<std::string, std::string>;   // by variable
using SecretValues = std::map<std::string, std::string>;  // by variable

// Fails with unknown_secret, and names the nearest one.
Status check_secrets(const SecretNames& wanted, const Context& context);
// on_done comes once, from the loop or at once; not after the end of the engine. Fails with
// unknown_secret or secret_unavailable, without the value.
void look_up_secrets(Context& context, const Call& call, const SecretNames& wanted,
                     std::function<void(Result<SecretValues>)> on_done);

}  // namespace gibbous::lua
