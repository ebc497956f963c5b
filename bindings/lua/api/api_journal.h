// Shared by the files of the table `journal`. Loop thread only.
#pragma once

#include <string>

#include "bindings/lua/check/fields.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous {
struct RunRecord;
}

namespace gibbous::lua {

class Call;

// The id of the run at index 1, given by its id or its handle.
std::string check_recorded_run(lua_State* state);
// Says in run_not_found that no record exists.
Status named_run_error(const Status& status, const std::string& id);

// The answer of a record that the call may not see: the same as for one that does not exist.
Status not_recorded(const std::string& id);

// Whether the call may see and touch the run that the record tells of. A call without a session
// does not see what another process, or another runtime of this one, executes at the moment.
bool may_see(Call& call, const RunRecord& run);

int l_journal_queue(lua_State* state);

}  // namespace gibbous::lua
