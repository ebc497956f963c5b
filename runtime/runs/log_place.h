// Decides where logs of runs may be: below the workspace, or below the temporary directory. Pure
// except make_temp_directory.
#pragma once

#include <string>

#include "gibbous/status.h"
#include "runtime/output/sink_file.h"
#include "runtime/runs/run.h"

namespace gibbous {

// Returns the trusted directory, and the path of the log below it. An absolute path must begin with
// one of the two directories, which are absolute themselves. The error's message names the field.
Result<FileSinkSpec> place_log(const LogSpec& log, const std::string& workspace,
                               const std::string& temp_directory);

// Returns the directory below which the relative logs of a run are: its workspace.
const std::string& log_workspace(const RunSpec& spec, const std::string& runtime_workspace);

// Returns the path with every "{run}" replaced by the run's id.
std::string log_path_of(std::string path, const std::string& run);

// Creates it if it is missing, and checks that files can be created in it. Fails with unavailable.
Status make_temp_directory(const std::string& path);

}  // namespace gibbous
