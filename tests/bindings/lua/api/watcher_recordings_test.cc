// The presets of scripts/watchers over what real tools wrote: tests/recordings.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "tests/bindings/lua/api/shipped_presets.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxRecordedLines = 60;

std::filesystem::path recordings() {
  const char* chosen = std::getenv("GIBBOUS_RECORDINGS");
  if (chosen != nullptr) return chosen;
  return std::filesystem::path(std::getenv("GIBBOUS_SOURCE_DIR")) / "tests/recordings";
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The presets in the order of their names, as one set: what `watch` with all of them is.
struct AllPresets {
  std::vector<std::string> names;  // by watcher
  std::shared_ptr<const WatchPatterns> patterns;
};

const AllPresets& all_presets() {
  static const AllPresets all = [] {
    AllPresets made;
    std::vector<WatchSpec> specs;
    for (const auto& [name, list] : test::shipped_presets()) {
      for (const test::Preset& preset : list) {
        specs.push_back(preset.spec);
        made.names.push_back(name);
      }
    }
    made.patterns = test::compile_presets(specs);
    return made;
  }();
  return all;
}

// {preset: ["3: the line"]}; an unfinished last line counts, as it does once the output is quiet.
Json matches_in(const std::string& output) {
  testing::MatchDesk desk;
  WatchSet set(all_presets().patterns, &desk);
  set.feed(WatchStream::kStdout, 0, output);
  set.flush_partial(WatchStream::kStdout);
  set.end(WatchStream::kStdout);
  std::map<std::string, std::map<std::uint64_t, std::string>> found;
  for (const WatchMatch& match : desk.matches) {
    const std::uint64_t number = match.line_number + 1;
    found[all_presets().names[match.watcher]][number] = std::to_string(number) + ": " + match.line;
  }
  Json matches = Json::object();
  for (const auto& [name, lines] : found) {
    for (const auto& [number, line] : lines) matches[name].push_back(line);
  }
  return matches;
}

std::set<std::string> recorded_files() {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(recordings())) {
    if (entry.path().extension() == ".txt") files.insert(entry.path().filename().string());
  }
  return files;
}

TEST_CASE("each preset finds in the output of real tools the lines that it should and no other") {
  const Json index = Json::parse(bytes_of(recordings() / "index.json"));
  std::set<std::string> listed;
  for (const Json& entry : index) {
    const auto file = entry.at("file").get<std::string>();
    CAPTURE(file, entry.at("version").get<std::string>(), entry.at("command").get<std::string>());
    listed.insert(file);
    const std::string output = bytes_of(recordings() / file);
    CHECK(testing::plain_lines(output).size() <= kMaxRecordedLines);
    CHECK(matches_in(output).dump(1) == entry.at("matches").dump(1));
  }
  CHECK(listed == recorded_files());
}

// record.mjs reads it.
TEST_CASE("shows what the presets find in recordings", "[.recordings]") {
  Json found = Json::object();
  for (const std::string& file : recorded_files()) {
    found[file] = matches_in(bytes_of(recordings() / file));
  }
  std::cout << found.dump() << '\n';
}

}  // namespace
}  // namespace gibbous::lua
