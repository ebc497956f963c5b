// Random paths through a real bash and a real directory tree: a path that leads out of the
// workspace must never be taken for one inside. The test with the tag [.million] runs a million of
// them: `GIBBOUS_PATH_SEED=N test_runtime_command '[million]'`.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/command/analyse.h"
#include "runtime/command/path_map.h"
#include "runtime/paths/entries.h"
#include "runtime/paths/walk.h"
#include "tests/runtime/command/differential/by_hand.h"
#include "tests/support/catch.h"

namespace gibbous::command {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPathSeed = 20'260'801;
constexpr int kPathLines = 20'000;
constexpr int kPathBatches = 50;  // of the million

// A workspace with links that lead further down, further up and out of it, and a place outside.
class PathTree {
 public:
  PathTree() {
    std::string made = (fs::temp_directory_path() / "gibbous-paths-XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) std::abort();
    top = fs::canonical(made).string();
    workspace = top + "/ws";
    for (const char* each : {"ws/a/b/c", "ws/d/e", "ws/.h/i", "out/deep/er", "out/a/b"})
      fs::create_directories(top + "/" + each);
    for (const char* each : {"ws/f", "ws/a/f", "ws/a/b/f", "ws/d/f", "out/f", "out/deep/f", "f"})
      std::ofstream(top + "/" + each) << "x";
    fs::create_symlink("a/b", workspace + "/in");
    fs::create_symlink("..", workspace + "/up");
    fs::create_symlink("../out/deep", workspace + "/away");
    fs::create_symlink(top + "/out", workspace + "/absolute");
    fs::create_symlink("nowhere/at/all", workspace + "/broken");
    fs::create_symlink("../..", workspace + "/a/back");
    fs::create_symlink("../../d", workspace + "/a/b/hop");
    fs::create_symlink("../ws/a", top + "/out/home");
  }
  ~PathTree() {
    std::error_code ignored;
    fs::remove_all(top, ignored);
  }
  PathTree(const PathTree&) = delete;
  PathTree& operator=(const PathTree&) = delete;

  std::string top;
  std::string workspace;
};

// Resolves as the kernel does, but what does not exist counts as a directory. Written apart from
// runtime/paths on purpose.
std::string truly(const std::string& path, int links = 0) {
  std::string real;
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string name = path.substr(at, end - at);
    at = end + 1;
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      real.resize(real.empty() ? 0 : real.rfind('/'));
      continue;
    }
    const std::string next = real + "/" + name;
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlink(next.c_str(), target.data(), target.size());
    if (size <= 0 || links > 40) {
      real = next;
      continue;
    }
    const std::string to(target.data(), static_cast<std::size_t>(size));
    real = truly(to[0] == '/' ? to : real + "/" + to, links + 1);
    if (real == "/") real.clear();
  }
  return real.empty() ? "/" : real;
}

struct PathLine {
  std::string before;  // cd DIRECTORY &&, or nothing
  std::string word;
  bool literal = true;
};

class PathGenerator {
 public:
  explicit PathGenerator(std::uint64_t seed, std::string workspace)
      : random_(seed), workspace_(std::move(workspace)) {}

  PathLine next() {
    PathLine made;
    for (std::uint64_t count = below(8) / 4 + below(8) / 7; count > 0; --count) {
      static const std::vector<std::string> kWays = {"cd ",    "cd ",         "cd -L ",
                                                     "cd -P ", "set -P; cd ", "pushd "};
      const std::string way = kWays[below(kWays.size())];
      made.before += way + path(/*literal=*/true) + (way == "pushd " ? " >/dev/null" : "") + " && ";
    }
    made.literal = below(3) == 0;
    made.word = path(made.literal);
    return made;
  }

 private:
  std::uint64_t below(std::uint64_t count) { return random_() % count; }

  std::string component(bool literal) {
    static const std::vector<std::string> kNames = {"a",  "b",  "c",    "d",        "e",    "f",
                                                    "in", "up", "away", "absolute", "back", "hop",
                                                    ".",  ".h", "new",  "broken",   "'a'/b"};
    static const std::vector<std::string> kOpen = {
        "*",      "?",     "[a-d]",   "*b*",    "a*",     ".*",     ".?",
        ".[.]",   "[!x]*", "*k",      "$U",     "\"$U\"", "a$U",    "$U..",
        "..$U",   ".$U.",  "${U}a",   "b$U*",   ".h*",    "*$U",    "\"$U\"*",
        ".[!.]*", "..*",   "@(.|..)", "$KNOWN", "$UP",    "{a,..}", "${U:-x}"};
    const std::uint64_t roll = below(10);
    if (roll < 4) return "..";
    if (roll < 7 || literal) return kNames[below(kNames.size())];
    return kOpen[below(kOpen.size())];
  }

  std::string path(bool literal) {
    std::string made;
    const std::uint64_t begin = below(12);
    if (begin == 0) made = workspace_ + "/";
    if (begin == 1) made = "./";
    if (begin == 2 && !literal) made = "\"$PWD\"/";
    for (std::uint64_t count = 1 + below(6); count > 0; --count)
      made += component(literal) + (count > 1 ? "/" : "");
    if (below(10) == 0) made += "/";
    return made;
  }

  std::mt19937_64 random_;
  std::string workspace_;
};

// What bash made of each line: its directory and the words, or nothing if it did not get there.
std::vector<std::vector<std::string>> expanded(const std::vector<PathLine>& lines,
                                               const PathTree& tree) {
  const std::string script = tree.top + "/script";
  {
    std::ofstream out(script);
    out << "shopt -s nullglob extglob\nshopt -u globskipdots 2>/dev/null; KNOWN=d/e; UP=..; unset "
           "U\n";
    for (const PathLine& line : lines) {
      out << "set +P; cd " << tree.workspace << "; { " << line.before << "{ pwd -P; printf '%s\\0' "
          << line.word << "; }; } 2>/dev/null; printf '\\1\\0'\n";
    }
  }
  std::vector<std::vector<std::string>> all;
  const std::string command = "env -u CDPATH -u BASH_ENV bash --norc " + script;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return all;
  std::string text;
  std::array<char, 65536> block{};
  for (std::size_t size = 0; (size = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
    text.append(block.data(), size);
  ::pclose(pipe);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\0', at), text.size());
    if (words.empty()) {
      const std::size_t line = text.find('\n', at);
      if (line < end) end = line;
    }
    std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word == "\1") {
      all.push_back(std::move(words));
      words.clear();
    } else {
      words.push_back(std::move(word));
    }
  }
  return all;
}

class PathJudge {
 public:
  explicit PathJudge(const PathTree& tree) : tree_(tree) {
    place_.workspace = place_.cwd = tree.workspace;
    place_.home = tree.top + "/out";
    place_.variables = {{"HOME", place_.home}, {"PWD", tree.workspace}};
    place_.resolve = [](const std::string& path) {
      return std::optional<std::string>(paths::real_path(path));
    };
    place_.list = [](const std::string& path) {
      std::vector<DirectoryEntry> all;
      for (const paths::Entry& each : paths::entries(path, nullptr))
        all.push_back({each.name, each.link, each.directory});
      return all;
    };
    place_.map = PathMap::create(*knowledge_, place_);
  }

  // What is wrong with the analysis; "" if nothing is.
  std::string fault(const PathLine& line, const std::vector<std::string>& found) {
    const std::string text = "KNOWN=d/e; UP=..; " + line.before + "cat -- " + line.word;
    const Facts facts = analyse(text, place_, *knowledge_);
    for (const DoubtFact& doubt : facts.doubts)
      if (doubt.doubt == Doubt::kUnparsed) return "";
    const SimpleCommand* cat = nullptr;
    for (const SimpleCommand& command : facts.commands)
      if (command.program == "cat") cat = &command;
    if (cat == nullptr) return "no command: " + text;
    for (std::size_t at = 1; at < found.size(); ++at) {
      if (found[at].empty()) continue;
      const std::string path = found[at][0] == '/' ? found[at] : found[0] + "/" + found[at];
      const std::string real = truly(path);
      ++judged;
      bool outside = false;
      bool exact = false;
      for (const Access& access : cat->accesses) {
        outside = outside || (access.classes & kInWorkspace) == 0;
        exact = exact || access.path == real;
      }
      if (!is_within(real, tree_.workspace)) {
        ++led_out;
        if (!outside) return "taken for inside: " + text + " -> " + real;
      }
      if (line.literal && !exact) return "another path than " + real + ": " + text;
    }
    return "";
  }

  // What a line reads, as far as it is known.
  std::vector<std::string> read_by(const std::string& line) {
    std::vector<std::string> paths;
    for (const SimpleCommand& command : analyse(line, place_, *knowledge_).commands) {
      for (const Access& access : command.accesses)
        if (access.kind == AccessKind::kRead) paths.push_back(access.path);
    }
    return paths;
  }

  long judged = 0;
  long led_out = 0;

 private:
  const PathTree& tree_;
  std::shared_ptr<const Knowledge> knowledge_ = testing::by_hand();
  Place place_;
};

void run_paths(int batches) {
  const char* given = std::getenv("GIBBOUS_PATH_SEED");
  const std::uint64_t seed = given == nullptr ? kPathSeed : std::strtoull(given, nullptr, 10);
  const PathTree tree;
  PathJudge judge(tree);
  std::string faults;
  for (int batch = 0; batch < batches; ++batch) {
    PathGenerator generator(seed + static_cast<std::uint64_t>(batch), tree.workspace);
    std::vector<PathLine> lines;
    for (int at = 0; at < kPathLines; ++at) lines.push_back(generator.next());
    const auto found = expanded(lines, tree);
    REQUIRE(found.size() == lines.size());
    for (std::size_t at = 0; at < lines.size() && faults.size() < 4096; ++at) {
      if (found[at].size() < 2) continue;
      const std::string fault = judge.fault(lines[at], found[at]);
      if (!fault.empty()) faults += fault + "\n";
    }
  }
  std::printf("paths: seed %llu, %d lines, %ld paths judged, %ld of them lead out\n",
              static_cast<unsigned long long>(seed), batches * kPathLines, judge.judged,
              judge.led_out);
  CHECK(faults.empty());
  if (!faults.empty()) std::printf("%s", faults.c_str());
  CHECK(judge.led_out > batches * kPathLines / 20);
}

TEST_CASE("a path that leads out of the workspace is never taken for one inside") {
  run_paths(1);
}

TEST_CASE("a program is entered into what its directory leads to") {
  const PathTree tree;
  PathJudge judge(tree);
  const auto found = [&](const std::string& line) { return judge.read_by(line); };
  const std::vector<std::string> outside = {tree.top + "/out/f"};
  CHECK(found("env -C away/.. cat f") == outside);
  CHECK(found("env -C absolute cat f") == outside);
  CHECK(found("cd away/.. && cat f") ==
        std::vector<std::string>{tree.workspace + "/f", tree.top + "/out/f"});
  CHECK(found("cd -P away && cd .. && cat f") == outside);
  CHECK(found("cd away && cd .. && cat f").front() == tree.workspace + "/f");
}

TEST_CASE("a million paths that lead out are not taken for paths inside", "[.million]") {
  run_paths(kPathBatches);
}

}  // namespace
}  // namespace gibbous::command
