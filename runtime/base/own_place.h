// Where this code lies on disk: the shared library that holds it, or the program. What ships with
// it is found from there, so that an install tree works in any prefix. Any thread.
#pragma once

#include <string>
#include <vector>

namespace gibbous {

// Returns the places where `name` may be, the best first: in the directory of the shared library
// that holds this code, if there is one, of the program, and of gibbous_installed_directory. In
// each, `beside` is tried first, then `name` below the prefix: ../NAME and, from lib/<triplet>,
// ../../NAME.
std::vector<std::string> installed_places(const std::string& beside, const std::string& name);

}  // namespace gibbous

extern "C" {
// The directory of the command in the installation that a program was linked with, or the build
// folder: the CMake target Gibbous::cpp defines it in the program. Absent otherwise.
extern const char* const gibbous_installed_directory __attribute__((weak));
}
