// Turns a shell command line, or an argv, into Facts. runtime/rules calls it for every verdict on a
// command. Linear time, bounded; reads at most the symlinks of paths and, for patterns,
// directories. Any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"
#include "runtime/command/parse.h"

namespace gibbous::command {

class PathMap;  // path_map.h

struct AnalyseLimits {
  // The kernel refuses a longer word (MAX_ARG_STRLEN), so `sh -c` with more cannot start.
  ParseLimits parse{.bytes = 131'072, .nodes = 30'000};
  std::size_t commands = 8192;                    // over it the rest is not judged: kUnjudged
  std::size_t asked_bytes = 65'536;               // a longer line, and
  std::size_t asked_commands = 4096;              // more commands, are judged, and kOverLimit
  int depth = 64;                                 // of code in code: sh -c, eval, functions
  std::size_t braces = 1024;                      // words of all brace expansions of one word
  std::size_t code_bytes = std::size_t{1} << 18;  // of all code in code
};

// A name in a directory.
struct DirectoryEntry {
  std::string name;
  bool link = false;       // it may be one
  bool directory = false;  // it may be one
};

struct Place {
  std::string workspace;  // absolute
  std::string cwd;        // absolute
  std::string home;       // absolute
  // What the shell that runs the line may read, and what a program called sh may (0: as `resolve`
  // says).
  Dialects dialects = bit_of(Dialect::kBash);
  Dialects sh = 0;
  // Variables with a known value: HOME, PWD, USER ...; they supplement the fields above.
  std::map<std::string, std::string> variables;
  // Additions to the run's environment: judged as if NAME=value stood before the command.
  std::map<std::string, std::string> set;
  // Files that receive a copy of the run's output: judged as writes.
  std::vector<std::string> logs;
  // This many bytes of the line have run already, typed into a shell. They determine the state of
  // the shell and are not judged.
  std::size_t done_bytes = 0;
  // What is to be said of paths, in a sentence, where a rule speaks of them.
  std::map<std::string, std::string> notes;
  // The path classes for this home and workspace, made once by PathMap::create. With null,
  // analyse() makes them for this analysis alone.
  std::shared_ptr<const PathMap> map;
  // Returns the real path of an absolute, normalised path, with existing symlinks resolved, or
  // nullopt when its file system does not say: kUnansweredPath. Without it, paths stay as written
  // (tests, other machines).
  std::function<std::optional<std::string>(const std::string&)> resolve;
  // With `resolve`: what lies directly in a directory, as far as that is quickly known, so that
  // links which a pattern matches are followed.
  std::function<std::vector<DirectoryEntry>(const std::string&)> list;
};

// Stand in kept text for what is not known of it: earlier lines, and the beginning of the line.
inline constexpr std::string_view kUnknownLines = "cd \"$unknown\"\n";
inline constexpr std::string_view kUnknownBeginning = "\"$unknown\" ";

// Text that is typed into running programs, each of which may be the one that takes it.
struct TypedInput {
  std::string before;  // what was typed earlier; its last line may be unfinished
  std::string text;    // what is typed now
  std::vector<InputReader> readers;
};

Facts analyse(std::string_view line, const Place& place, const Knowledge& knowledge,
              const AnalyseLimits& limits = {});
Facts analyse(const std::vector<std::string>& argv, const Place& place, const Knowledge& knowledge,
              const AnalyseLimits& limits = {});
// The commands and the code in typed text: what the readers take for commands, and what is not
// plainly harmless in their languages. Other text gives no commands and no doubts.
Facts analyse(const TypedInput& typed, const Place& place, const Knowledge& knowledge,
              const AnalyseLimits& limits = {});

}  // namespace gibbous::command
