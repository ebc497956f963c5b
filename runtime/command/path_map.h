// PathMap: the classes of a path, for one home and one workspace. Made once per policy and place; a
// lookup costs one hash per component. Also normalises and joins paths. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/command/facts.h"

namespace gibbous::command {

struct Knowledge;
struct Place;

// "/a//b/../c/" -> "/a/c"; "" stays "". Never goes above "/".
std::string normalize(std::string_view absolute);
// Returns an absolute path unchanged, and another one below `base` (absolute).
std::string join(const std::string& base, std::string_view path);
// Returns true if `path` is `directory` or below it.
bool is_within(std::string_view path, std::string_view directory);

// A question to the map.
struct PathQuestion {
  std::string path;        // absolute, normalised; of a path with a hole: what stands before the
                           // last / in front of it
  bool contents = false;   // everything directly in it, not itself
  bool hole = false;       // something below it that is not known
  bool recursive = false;  // and all below
  std::string pattern;     // with `hole`: the component with the glob, "us*"; "" when not known
};

class PathMap {
 public:
  // Entries may begin with ~/, $HOME, $WORKSPACE, $TMP or a variable of the place; entries with an
  // unknown variable are ignored.
  static std::shared_ptr<const PathMap> create(const Knowledge& knowledge, const Place& place);

  // `own` receives the classes of the path itself, without those of paths below it. `looked` grows
  // by the number of entries that were looked at for what may lie below it; it may be null.
  PathClasses classify(const PathQuestion& question, PathClasses* own,
                       std::size_t* looked = nullptr) const;
  // Returns the classes of entries that an absolute path with patterns may be, or be below.
  PathClasses may_match(const std::string& pattern) const;
  // Returns the classes of entries whose name is a component of a path with an unknown beginning:
  // .ssh, .env.
  PathClasses by_name(const std::string& path) const;
  // Returns false only if no path in the text, relative to a directory of no `named` class, can
  // have such a class, as far as its name tells. Costs one look-up a component. `globs`: it holds
  // patterns.
  bool may_name(std::string_view text, bool globs) const;
  // Returns true if the text holds such a name that has a blank in it.
  bool may_name_with_blank(std::string_view text) const;
  // The classes that count for whatever a word names.
  PathClasses named() const { return named_; }
  // Those that count for a working directory, as far as this place has such paths.
  PathClasses entered() const { return entered_; }
  // A sentence about what is at the path, above or below it; "": there is none.
  std::string note_of(const std::string& path) const;
  const std::string& workspace() const { return workspace_; }
  // Returns true if the directory, normalised, has a `named` class.
  bool is_named(const std::string& directory) const;

 private:
  struct Entry {
    std::string path;  // absolute, without markers
    PathClasses bit = 0;
    bool only_itself = false;
    bool takes_out = false;
    bool inside = false;   // also holds in the workspace
    std::size_t head = 0;  // bytes before the first special character
  };
  struct Marks {
    PathClasses below = 0;      // for it and all below
    PathClasses below_out = 0;  // the same, taken out again
    PathClasses itself = 0;
    PathClasses inside = 0;  // which of `below` and `itself` hold in the workspace

    PathClasses all(bool only_inside) const {
      return (below | itself) & (only_inside ? inside : ~PathClasses{0});
    }
  };

  void add(Entry entry);
  struct Found {
    PathClasses classes = 0;
    PathClasses out = 0;  // taken out
  };
  Found up(std::string_view path, bool inside) const;
  PathClasses below(const PathQuestion& question, bool inside, std::size_t* looked) const;
  Found by_pattern(const std::string& path, bool inside) const;
  PathClasses itself(const std::string& path, bool inside) const;
  PathClasses one_below(const PathQuestion& question, bool inside, std::size_t* looked) const;

  void add_name(std::string_view path, const Entry& entry, bool named);

  // Finds names without making a string of them.
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::string workspace_;
  PathClasses named_ = 0;
  PathClasses entered_ = 0;
  std::map<std::string, std::string> notes_;
  // The last components of entries, ".p12" for "*.p12", with their classes.
  std::unordered_map<std::string, PathClasses, NameHash, std::equal_to<>> names_;
  std::vector<std::string> blank_names_;  // of named classes
  bool any_name_ = false;
  std::map<std::string, Marks, std::less<>> exact_;
  std::vector<Entry> globs_;  // with a *
  // "**/x", without the "**": by its first component, and those whose name is a pattern.
  std::unordered_map<std::string, std::vector<Entry>, NameHash, std::equal_to<>> anywhere_;
  std::vector<Entry> anywhere_globs_;
};

// Matches a glob in which * and ? stand for any characters but /, and [...] for any single one.
bool component_match(std::string_view glob, std::string_view text);
// Returns true if some shell may expand a component with a pattern to "..": `.*`, `.?`, `.[.x]`.
bool may_match_parent(std::string_view glob);
// Returns true for a byte that may stand before or after a path in a word: = : , " @ ...
bool delimits_path(char byte);

}  // namespace gibbous::command
