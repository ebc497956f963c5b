// Turns a command line for a shell, or an argv, into Facts. Called by runtime/rules for every
// verdict on a command; linear time, bounded, reads at most the symlinks of paths. Any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"
#include "runtime/command/parse.h"

namespace gibbous::command {

class PathMap;  // path_map.h

struct AnalyseLimits {
  // The kernel passes no longer word (MAX_ARG_STRLEN), so `sh -c` with more cannot start.
  ParseLimits parse{.bytes = 131'072, .nodes = 30'000};
  std::size_t commands = 8192;                    // over it the rest is not judged: kUnjudged
  std::size_t asked_bytes = 65'536;               // a longer line, and
  std::size_t asked_commands = 4096;              // more commands, are judged, and kOverLimit
  int depth = 64;                                 // of code in code: sh -c, eval, functions
  std::size_t braces = 1024;                      // words of all brace expansions of one word
  std::size_t code_bytes = std::size_t{1} << 18;  // of all code in code
};

struct Place {
  std::string workspace;  // absolute
  std::string cwd;        // absolute
  std::string home;       // absolute
  // Variables whose value is known before: HOME, PWD, USER ...; on top of what the fields above
  // say.
  std::map<std::string, std::string> variables;
  // What the run gets on top of its environment: judged as if NAME=value stood before the command.
  std::map<std::string, std::string> set;
  // Files that the run's output is copied into: judged as writes.
  std::vector<std::string> logs;
  // So many bytes of the line have run already (they were typed into a shell): they say where it
  // stands, and are not judged.
  std::size_t done_bytes = 0;
  // The path classes for this home and workspace, made once by PathMap::create; null: made for this
  // one analysis.
  std::shared_ptr<const PathMap> map;
  // Gives the real path of an absolute, normalised one: symlinks of what exists resolved. None: as
  // it stands (tests, other machines).
  std::function<std::string(const std::string&)> resolve;
};

// Resolves against this machine's file system.
std::string real_path(const std::string& absolute);

Facts analyse(std::string_view line, const Place& place, const Knowledge& knowledge,
              const AnalyseLimits& limits = {});
Facts analyse(const std::vector<std::string>& argv, const Place& place, const Knowledge& knowledge,
              const AnalyseLimits& limits = {});

}  // namespace gibbous::command
