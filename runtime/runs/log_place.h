// Where the logs of runs may lie: below the workspace, or below the temporary directory. Pure, but
// for make_temp_directory.
#pragma once

#include <string>

#include "gibbous/status.h"
#include "runtime/output/sink_file.h"
#include "runtime/runs/run.h"

namespace gibbous {

// The directory that is trusted, and the path of the log below it. An absolute path must begin with
// one of the two directories, which are absolute themselves. The error's message names the field.
Result<FileSinkSpec> place_log(const LogSpec& log, const std::string& workspace,
                               const std::string& temp_directory);

// The path with every "{run}" in it replaced by the run's id.
std::string log_path_of(std::string path, const std::string& run);

// Makes it when it is missing, and looks whether files can be made in it. Fails with unavailable.
Status make_temp_directory(const std::string& path);

}  // namespace gibbous
