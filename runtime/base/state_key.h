// The key of a state directory, with which its files are signed (state_table.h, the open
// questions). It lies beside them, and every sandbox hides it. Any thread.
#pragma once

#include <string>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

// Returns the key of a state directory; "" when it has none, or one that another user could write.
std::string read_state_key(const UniqueFd& directory);
// The same, and makes one where there is none.
Result<std::string> make_state_key(const UniqueFd& directory, const std::string& path);

}  // namespace gibbous
