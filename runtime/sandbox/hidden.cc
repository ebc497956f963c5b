// Patterns that look at the same directories are looked for together: a start asks each directory
// once whether it has changed.
#include "runtime/sandbox/hidden.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "runtime/sandbox/paths.h"

namespace gibbous {
namespace {

constexpr std::string_view kBehind = "//";  // the pattern of a shape begins behind the last one
constexpr const char* kAll = "*";
constexpr std::size_t kMostMeant = 1024;

struct Blank {
  std::string_view ending;
  std::string_view text;
};
// Programs that take an empty file for a broken one.
constexpr std::array<Blank, 4> kBlanks = {{{"settings.xml", "<settings/>\n"},
                                           {"settings-security.xml", "<settingsSecurity/>\n"},
                                           {".Config", "<configuration/>\n"},
                                           {".json", "{}\n"}}};

// Splits into the directory and the pattern; of a path, the pattern is empty.
std::pair<std::string_view, std::string_view> parts_of(std::string_view shape) {
  const std::size_t at = shape.rfind(kBehind);
  if (at == std::string_view::npos) return {shape, {}};
  return {shape.substr(0, at), shape.substr(at + kBehind.size())};
}

class HiddenNames {
 public:
  HiddenNames(const SandboxSpec& spec, Lookups& lookups, std::vector<std::string>& gaps)
      : spec_(spec), lookups_(lookups), gaps_(gaps) {}

  std::vector<std::string> find() {
    std::set<std::string, std::less<>> around;
    for (const std::string& each : spec_.visible) {
      const auto [directory, pattern] = parts_of(each);
      around.emplace(pattern.empty() ? parent_of(each) : std::string(directory));
    }
    for (const std::string& path : spec_.unreadable) {
      if (around.contains(path)) {
        add_content(path);
      } else {
        names_.push_back(path);
      }
    }
    // By the directory, and the pattern of those in it: the names to look for.
    std::map<std::pair<std::string_view, std::string_view>, std::string> wanted;
    for (const std::string& shape : spec_.shapes) {
      const auto [directory, pattern] = parts_of(shape);
      const std::size_t slash = pattern.rfind('/');
      const bool deeper = slash != std::string_view::npos;
      std::string& names = wanted[{directory, pattern.substr(0, deeper ? slash : 0)}];
      names.append(names.empty() ? "" : "/").append(pattern.substr(deeper ? slash + 1 : 0));
    }
    for (const auto& [place, names] : wanted) {
      if (place.second.empty()) {
        add_meant(std::string(place.first), names);
        continue;
      }
      for (const std::string& each : list(std::string(place.first), std::string(place.second))) {
        add_meant(each, names);
      }
    }
    return std::move(names_);
  }

 private:
  const std::vector<std::string>& list(const std::string& directory, const std::string& names) {
    const Lookups::Names& found = lookups_.names_in(directory, names);
    if (found.exists && !found.complete) {
      gaps_.push_back("what looks like a credential in " + directory +
                      " is not hidden: it has too many names, or may not answer");
    }
    return found.paths;
  }

  void add_meant(const std::string& directory, const std::string& names) {
    for (const std::string& path : list(directory, names)) {
      if (names_.size() >= spec_.unreadable.size() + kMostMeant)
        return gaps_.push_back(
            "not all that looks like a credential is hidden: there is too much of it");
      if (!is_visible(path, spec_) && !holds_granted(path)) names_.push_back(path);
    }
  }

  // Directories of tools hold their settings as well as their keys.
  void add_content(const std::string& directory) {
    const Lookups::Names& all = lookups_.names_in(directory, kAll);
    if (!all.complete) return names_.push_back(directory);
    // What comes into it later is not granted either: something in it is always left out.
    names_.push_back(directory + "/" + kAll);
    for (const std::string& path : all.paths) {
      if (!is_visible(path, spec_)) names_.push_back(path);
    }
  }

  // A project may be called "secrets".
  bool holds_granted(const std::string& path) const {
    return holds_any_of(path, spec_.write) || holds_any_of(path, spec_.layered) ||
           holds_any_of(path, spec_.shown);
  }

  const SandboxSpec& spec_;
  Lookups& lookups_;
  std::vector<std::string>& gaps_;
  std::vector<std::string> names_;
};

}  // namespace

bool is_meant(std::string_view path, const std::string& shape) {
  const auto [directory, pattern] = parts_of(shape);
  if (pattern.empty()) return is_within(path, directory);
  if (path.size() <= directory.size() || !is_within(path, directory)) return false;
  const auto components = std::count(pattern.begin(), pattern.end(), '/');
  std::string below(path.substr(directory.size() + 1));
  std::size_t end = below.find('/');
  for (auto left = components; left > 0 && end != std::string::npos; --left) {
    end = below.find('/', end + 1);
  }
  below.resize(std::min(end, below.size()));
  return ::fnmatch(std::string(pattern).c_str(), below.c_str(),
                   FNM_NOESCAPE | FNM_CASEFOLD | FNM_PATHNAME) == 0;
}

bool is_visible(std::string_view path, const SandboxSpec& spec) {
  return std::any_of(spec.visible.begin(), spec.visible.end(), [path](const std::string& each) {
    return is_meant(path, each) || (parts_of(each).second.empty() && is_within(each, path));
  });
}

bool is_hidden(std::string_view path, const SandboxSpec& spec) {
  const auto meant = [path](const std::string& each) { return is_meant(path, each); };
  return (is_within_any(path, spec.unreadable) ||
          std::any_of(spec.shapes.begin(), spec.shapes.end(), meant)) &&
         !is_visible(path, spec);
}

std::vector<std::string> hidden_names(const SandboxSpec& spec, Lookups& lookups,
                                      std::vector<std::string>& gaps) {
  return HiddenNames(spec, lookups, gaps).find();
}

std::string_view blank_of(std::string_view path) {
  for (const Blank& blank : kBlanks) {
    if (path.ends_with(blank.ending)) return blank.text;
  }
  return {};
}

}  // namespace gibbous
