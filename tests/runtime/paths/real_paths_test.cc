#include "runtime/paths/real_paths.h"

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/paths/walk.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::paths {
namespace {

namespace fs = std::filesystem;

TEST_CASE("many questions about one directory get the answers that one gets") {
  testing::TempDir dir;
  const std::string root = fs::canonical(dir.path()).string();
  dir.write("real/file", "");
  fs::create_directory_symlink("real", root + "/link");
  fs::create_directory_symlink("missing", root + "/dangling");
  fs::create_symlink("file", root + "/real/inner");
  fs::create_directory_symlink(root + "/real", root + "/\xc3\xa4");
  std::vector<std::string> paths = {"/", "", "/..", "relative", root + "/real/../link/file"};
  for (const char* above : {"", "/real", "/link", "/dangling", "/missing", "/real/file"}) {
    for (const char* name : {"real", "link", "LINK", "file", "inner", "dangling", "none",
                             "\xc3\xa4", "\xc3\x84", ".", "..", "a/b", "link/file"})
      paths.push_back(root + above + "/" + name);
  }
  RealPaths burst;
  for (int round = 0; round < 2; ++round) {
    for (const std::string& path : paths) {
      CAPTURE(path);
      CHECK(burst.real(path) == real_path(path));
    }
  }
}

TEST_CASE("what lies below a missing directory is as written, and below a link is not") {
  testing::TempDir dir;
  const std::string root = fs::canonical(dir.path()).string();
  dir.write("real/file", "");
  fs::create_directory_symlink("real", root + "/link");
  fs::create_directory_symlink("missing", root + "/dangling");
  RealPaths burst;
  for (int at = 0; at < 9; ++at) {
    for (const char* above : {"/none/", "/none/deep/er/", "/link/none/", "/LINK/none/", "/real/",
                              "/real/file/", "/dangling/deep/", "/link/"}) {
      const std::string path = root + above + std::to_string(at);
      CAPTURE(path);
      CHECK(burst.real(path) == real_path(path));
    }
  }
}

}  // namespace
}  // namespace gibbous::paths
