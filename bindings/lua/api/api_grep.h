// run:grep and journal.grep: the lines of output that match a pattern, in memory and on disk.
#pragma once

struct lua_State;

namespace gibbous::lua {

int l_run_grep(lua_State* state);
int l_journal_grep(lua_State* state);  // suspends

}  // namespace gibbous::lua
