// The error excerpt finds what the presets find: its patterns are generated from their files.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/json/json.h"
#include "runtime/output/error_excerpt.h"
#include "runtime/output/error_patterns.h"
#include "tests/bindings/lua/api/shipped_presets.h"

namespace gibbous::lua {
namespace {

const std::vector<std::pair<const char*, const char*>> kPresets = {
    {"compile_error", "kCompileError"},
    {"test_failure", "kTestFailure"},
    {"stack_trace", "kStackTrace"},
};

std::filesystem::path source(const char* path) {
  return std::filesystem::path(std::getenv("GIBBOUS_SOURCE_DIR")) / path;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string generated() {
  std::string text =
      "// Generated from scripts/watchers by test_bindings_lua '[.error_patterns]'.\n"
      "// clang-format off\n";
  for (const auto& [name, constant] : kPresets) {
    for (const test::Preset& preset : test::shipped_presets().at(name)) {
      text +=
          std::string("{ErrorPreset::") + constant + ", R\"re(" + preset.spec.regex + ")re\"},\n";
    }
  }
  return text + "// clang-format on\n";
}

// The line without its number, as far as an excerpt shows it.
std::string shown_part(const std::string& numbered) {
  constexpr std::size_t kShownBytes = 100;
  std::string line = numbered.substr(numbered.find(": ") + 2);
  line.erase(line.find_last_not_of(' ') + 1);
  return line.substr(0, kShownBytes - incomplete_utf8_tail(line.substr(0, kShownBytes)));
}

TEST_CASE("the patterns of error excerpts are those of the presets") {
  INFO("run test_bindings_lua '[.error_patterns]', which writes the file anew");
  CHECK(text_of(source("runtime/output/error_patterns.inc")) == generated());
}

TEST_CASE("writes the patterns of error excerpts", "[.error_patterns]") {
  std::ofstream(source("runtime/output/error_patterns.inc"), std::ios::binary) << generated();
}

TEST_CASE("an error excerpt of what a real tool wrote has the first line that each preset finds") {
  const Json index = Json::parse(text_of(source("tests/recordings/index.json")));
  for (const Json& entry : index) {
    const auto file = entry.at("file").get<std::string>();
    Stream out;
    out.append(text_of(source("tests/recordings") / file));
    out.set_ended();
    const std::string excerpt = error_excerpt(out, Stream());
    CHECK(excerpt.size() <= kErrorExcerptBytes);
    for (const auto& [name, constant] : kPresets) {
      if (!entry.at("matches").contains(name)) continue;
      const std::string line = shown_part(entry.at("matches").at(name).at(0));
      CAPTURE(file, name, line, excerpt);
      CHECK(excerpt.find(line) != std::string::npos);
    }
  }
}

TEST_CASE("an error excerpt of many words of failure still has what a preset finds") {
  std::string log;
  for (int at = 1; at <= 20; ++at) log += "retry " + std::to_string(at) + ": refused\n";
  log += "./main.go:5:2: undefined: foo\n";
  for (int at = 1; at <= 20; ++at) log += "step " + std::to_string(at) + "\n";
  Stream out;
  out.append(log);
  out.set_ended();
  CHECK(error_excerpt(out, Stream()).find("21:./main.go:5:2: undefined: foo\n") !=
        std::string::npos);
}

TEST_CASE("the stream in which a preset finds something gets most of an error excerpt") {
  Stream out;
  Stream err;
  out.append("src/app.ts(3,7): error TS2322: Type 'string' is not assignable\n");
  err.append("npm error Lifecycle script `build` failed\n");
  out.set_ended();
  err.set_ended();
  CHECK(error_excerpt(out, err).starts_with("stdout:\nsrc/app.ts(3,7)"));
}

}  // namespace
}  // namespace gibbous::lua
