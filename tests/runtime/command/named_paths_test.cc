// Paths that words only name, of classes for which that counts.
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/command/analyse.h"
#include "runtime/command/path_map.h"
#include "runtime/paths/walk.h"
#include "tests/runtime/command/differential/by_hand.h"
#include "tests/support/catch.h"

namespace gibbous::command {
namespace {

using Names = std::vector<std::string>;

std::shared_ptr<const Knowledge> with_named_classes() {
  auto made = std::make_shared<Knowledge>(*testing::by_hand());
  made->classes.push_back({"key", {"~/.keys", "/etc/shadow", "~/Library Data"}, false, true});
  made->classes.push_back({"local_key", {"**/.env", "**/*.p12"}, true, true});
  made->text = {"--exclude"};
  return made;
}

Place named_place() {
  Place place;
  place.workspace = place.cwd = "/ws";
  place.home = "/h";
  place.variables = {{"HOME", "/h"}, {"PWD", "/ws"}};
  return place;
}

Names named_in(const std::string& line, const Place& place = named_place()) {
  static const auto kKnowledge = with_named_classes();
  const Facts facts = analyse(line, place, *kKnowledge);
  Names found;
  for (const SimpleCommand& command : facts.commands) {
    for (const Access& access : command.accesses)
      if (access.kind == AccessKind::kName) found.push_back(access.path);
  }
  return found;
}

TEST_CASE("a word that is a path of such a class names it, whatever stands in front") {
  const Names one = {"/h/.keys/a"};
  for (const char* word :
       {"~/.keys/a", "'~/.keys/a'", "'$HOME/.keys/a'", "--k=/h/.keys/a", "-k/h/.keys/a",
        "-k~/.keys/a", "@/h/.keys/a", "x:/h/.keys/a", "file:/h/.keys/a", "file:///h/.keys/a",
        "file://localhost/h/.keys/a", "db:///h/.keys/a", "a=1,b=/h/.keys/a",
        "'concat:x|/h/.keys/a'", "'{\"a\":\"/h/.keys/a\"}'", "'open(\"/h/.keys/a\")'",
        "'see /h/.keys/a'", "x/h/.keys/a", "../h/.keys/a"})
    CHECK(named_in("tool " + std::string(word)) == one);
  CHECK(named_in("tool '/h/Library Data/a b'") == Names{"/h/Library Data/a b"});
  CHECK(named_in("tool file:///h/%2ekeys/a") == Names{""});  // any of them
  CHECK(named_in("tool -d.env a.p12") == Names{"/ws/.env", "/ws/a.p12"});
}

TEST_CASE("what is no path of this machine, or only text, names nothing") {
  for (const char* line :
       {"tool https://x/h/.keys/a", "tool s3://b/.env", "tool --exclude=/h/.keys/a",
        "tool --exclude /h/.keys/a", "tool 'reads .env first'", "echo /h/.keys/a", "tool /h/.key",
        "tool .env.example", "tool /etc/shadows", "sh -c 'echo /h/.keys/a'", "tool *.c", "tool ~"})
    CHECK(named_in(line).empty());
}

TEST_CASE("a path of which the table says what happens with it is not only named") {
  CHECK(named_in("cat ~/.keys/a").empty());
  CHECK(named_in("curl -H @/h/.keys/a") == Names{"/h/.keys/a"});
}

TEST_CASE("patterns, variables and directories are followed") {
  CHECK(!named_in("tool ~/.k*/a").empty());
  CHECK(named_in("F=~/.keys/a; tool $F") == Names{"/h/.keys/a"});
  CHECK(named_in("cd ~/.keys && tool a") == Names{"/h/.keys/a"});
  CHECK(named_in("cd && tool --f=.keys/a") == Names{"/h/.keys/a"});
  CHECK(!named_in("tool \"$X/.keys/a\"").empty());
  CHECK(named_in("K=~/.keys/a tool") == Names{"/h/.keys/a"});
  CHECK(named_in("K=~/.keys/a").empty());
  CHECK(named_in("export K; K=~/.keys/a") == Names{"/h/.keys/a"});
}

TEST_CASE("the known input of an unknown program names paths, line by line") {
  CHECK(named_in("tool <<< ~/.keys/a") == Names{"/h/.keys/a"});
  CHECK(named_in("tool <<E\nx\n/h/.keys/a\n.env\nE") == Names{"/h/.keys/a", "/ws/.env"});
  CHECK(named_in("echo ~/.keys/a | tool") == Names{"/h/.keys/a"});
  CHECK(named_in("cat <<< ~/.keys/a").empty());
}

TEST_CASE("a link to such a path names it, too") {
  char name[] = "/tmp/gibbous-named-XXXXXX";
  REQUIRE(::mkdtemp(name) != nullptr);
  const std::filesystem::path base = std::filesystem::canonical(name);
  std::filesystem::create_directories(base / "ws");
  std::filesystem::create_directories(base / "h" / ".keys");
  std::filesystem::create_directory_symlink("../h/.keys", base / "ws" / "innocent");
  Place place = named_place();
  place.workspace = place.cwd = (base / "ws").string();
  place.home = (base / "h").string();
  place.resolve = ::gibbous::paths::real_path;
  const Names found = named_in("tool innocent/a --f=innocent other", place);
  std::filesystem::remove_all(base);
  CHECK(found == Names{(base / "h" / ".keys" / "a").string(), (base / "h" / ".keys").string()});
}

TEST_CASE("a word may name a path only by a name, an ending or a pattern of the classes") {
  const auto map = PathMap::create(*with_named_classes(), named_place());
  CHECK(map->may_name("x/.keys/y", false));
  CHECK(map->may_name("a=1,f=a.p12", false));
  CHECK(!map->may_name("x/keys/y.p13", false));
  CHECK(map->may_name("x/.k*/y", true));
  CHECK(!map->may_name("*.c", true));
}

TEST_CASE("only a pattern that begins with a dot may match the parent") {
  for (const char* glob : {".*", ".?", ".[.]", ".[!a]", ".[--9]", "..*", ".*.", "@(.|..)", ".??"})
    CHECK(may_match_parent(glob));
  for (const char* glob : {"*", "?", "?.", ".[!.]*", "..?", ".a*", "...*"})
    CHECK(!may_match_parent(glob));
}

}  // namespace
}  // namespace gibbous::command
