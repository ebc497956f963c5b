// The scripts and policies that ship, compiled into the library: used where they are not on the
// disk. Any thread.
#pragma once

#include "bindings/lua/source/memory_files.h"

namespace gibbous::host {

const lua::MemoryFiles& built_in_files();
// Their bytecode; none where another LuaJIT runs than the one that made it.
const lua::CompiledTexts& built_in_code();

}  // namespace gibbous::host
