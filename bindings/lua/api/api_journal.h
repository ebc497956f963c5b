// Shared by the files of the table `journal`. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bindings/lua/api/run_effect.h"
#include "bindings/lua/check/fields.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous {
struct RunRecord;
}

namespace gibbous::lua {

class Call;

// A question to the journal, on its way: `read` begins it, and answers through the effect, which
// nothing undoes. Returns nil, err at once where nothing is recorded.
int ask_journal(lua_State* state, const std::function<void(const std::shared_ptr<Effect>&)>& read);

// Returns the id of the run at index 1, which is its id or its handle.
std::string check_recorded_run(lua_State* state);
// Answers that the journal cannot say it; its run_not_found says that no record exists.
void fail_named(const Effect& effect, const Status& status, const std::string& id);

// Returns the error for a record that the call may not see, the same as for one that does not
// exist.
Status not_recorded(const std::string& id);

// Returns true when the call may see and touch the recorded run. A call without a session does not
// see what another process, or another runtime of this one, executes at the moment.
bool may_see(Call& call, const RunRecord& run);
// The same for the task of an effect; false once that has gone.
bool may_see(const Effect& effect, const RunRecord& run);

int l_journal_grep(lua_State* state);  // api_grep.cc
int l_journal_queue(lua_State* state);
int l_journal_error_excerpt(lua_State* state);

}  // namespace gibbous::lua
