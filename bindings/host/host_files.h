// The scripts, policies and configuration that a host gives as bytes (RuntimeOptions::files). Any
// thread.
#pragma once

#include "bindings/lua/source/memory_files.h"
#include "gibbous/runtime.h"

namespace gibbous::host {

// Gives each file its path in memory, and names the directories in scripts_dir, policies_dir and
// config_file. `files` refers to the bytes in the options. Fails with invalid_arguments.
Status place_files(RuntimeOptions& options, lua::MemoryFiles& files);

}  // namespace gibbous::host
