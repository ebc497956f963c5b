// Names in a repository that git obeys stay held while anything may be left in a sandbox.
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/sandbox/sandbox.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;

TEST_CASE("held names: a daemon that hides from its run cannot take one") {
  if (!probe_sandbox_support().mount_namespaces) {
    WARN("not tested: no mount namespaces here");
    return;
  }
  TempDir dir;
  TempDir state;
  dir.write(".git/HEAD", "ref: refs/heads/main\n");
  dir.write(".git/config", "[core]\n");
  const std::string commondir = dir.path() + "/.git/commondir";
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";
  options.workspace = dir.path();
  options.state_dir = state.path();
  options.sandbox = "workspace";
  const std::string word = testing::unique_word();
  {
    Host host(options);
    // It lowers both limits that carry the mark, and leaves session and environment.
    const std::string hides =
        "ulimit -x 1; ulimit -R 1000; setsid env -i PATH=/usr/bin:/bin bash -c '"
        "for i in 1 2 3 4 5 6 7 8 9 10; do (echo evil > .git/commondir) 2>/dev/null && exit; "
        "sleep 0.1; done; : " +
        word + "' & sleep 0.3";
    const std::string id = host.data("bg_start", {{"command",
                                                   "bash -c "
                                                   "\"" +
                                                       hides + "\""}})["id"];
    REQUIRE(host.until([&] { return fs::exists(commondir); }));
    REQUIRE(host.until([&] {
      return host.data("bg_status", {{"id", id}}).dump().find("\"running\"") == std::string::npos;
    }));
    REQUIRE(host.until([&] { return testing::processes_with(word).empty(); }));
    std::ifstream file(commondir);
    std::string text;
    std::getline(file, text);
    CHECK(text != "evil");
    // Once it has ended, nothing holds the name any more.
    CHECK(host.until([&] { return !fs::exists(commondir); }));
  }
  CHECK_FALSE(fs::exists(commondir));
}

}  // namespace
}  // namespace gibbous
