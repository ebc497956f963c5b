#include "bindings/host/host_files.h"

#include <string>

namespace gibbous::host {
namespace {

// What files may be given, the one that must be among them, and the option that names a place on
// the disk instead.
struct Part {
  std::string prefix;
  std::string first;
  std::string place;
  std::string RuntimeOptions::*option;
  const char* option_name;
};

const Part kParts[] = {
    {"scripts/", "scripts/init.lua", "scripts", &RuntimeOptions::scripts_dir, "scripts_dir"},
    {"policies/", "policies/init.lua", "policies", &RuntimeOptions::policies_dir, "policies_dir"},
    {"config.lua", "config.lua", "config.lua", &RuntimeOptions::config_file, "config_file"},
};

Status wrong(const std::string& what) {
  return Status::error("invalid_arguments", "files: " + what);
}

// Returns null for a name that means nothing.
const Part* part_of(const std::string& name) {
  for (const Part& part : kParts) {
    const bool is_one =
        part.prefix == part.first ? name == part.first : name.starts_with(part.prefix);
    if (is_one) return &part;
  }
  return nullptr;
}

}  // namespace

Status place_files(RuntimeOptions& options, lua::MemoryFiles& files) {
  const std::string root = std::string(lua::kHostPlace) + "/";
  for (const auto& [name, text] : options.files) {
    const Part* part = part_of(name);
    if (part == nullptr) {
      return wrong("expected names below scripts/ or policies/, or config.lua; got " + name);
    }
    if (options.files.count(part->first) == 0) {
      return wrong("expected " + part->first + " among them");
    }
    files[root + name] = text;
    if (name != part->first) continue;
    std::string& place = options.*part->option;
    if (!place.empty()) {
      return wrong("expected one of " + name + " and " + part->option_name + ", got both");
    }
    place = root + part->place;
  }
  return {};
}

}  // namespace gibbous::host
