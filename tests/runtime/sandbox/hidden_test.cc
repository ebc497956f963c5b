// What a profile hides by shape, what it shows beside keys, and what hidden files read as.
#include "runtime/sandbox/hidden.h"

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/paths/mount_types.h"
#include "tests/runtime/sandbox/box.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::UnorderedEquals;

constexpr const char* kKey = "-----BEGIN RSA PRIVATE KEY-----\nsecret\n";

// Names below a home, as they are hidden.
class Home {
 public:
  Home() : path_(fs::canonical(dir_.path()).string() + "/home") { fs::create_directory(path_); }

  const std::string& path() const { return path_; }
  SandboxSpec& spec() { return spec_; }
  void write(const std::string& name, const std::string& text = "secret\n") const {
    (void)dir_.write("home/" + name, text);
  }
  std::vector<std::string> hidden() {
    lookups_.begin(mounts_.now().get());
    gaps_.clear();
    std::vector<std::string> names = hidden_names(spec_, lookups_, gaps_);
    for (std::string& name : names) name.erase(0, std::min(name.size(), path_.size() + 1));
    return names;
  }
  const std::vector<std::string>& gaps() const { return gaps_; }

 private:
  TempDir dir_;
  std::string path_;
  paths::MountTypes mounts_;
  Lookups lookups_{std::chrono::milliseconds(20)};
  SandboxSpec spec_;
  std::vector<std::string> gaps_;
};

}  // namespace

TEST_CASE("a shape hides what it means when a program starts, whatever the case of its letters") {
  Home home;
  home.write(".config/tool/access_Token");
  home.write(".config/tool/settings");
  home.write(".config/tool/deeper/token");
  home.write(".config/token");
  home.spec().shapes = {home.path() + "/.config//*/*token*", home.path() + "/.config//*/auth.json"};
  CHECK_THAT(home.hidden(), UnorderedEquals(std::vector<std::string>{".config/tool/access_Token"}));
  home.write(".config/other/auth.json");
  home.write(".config/tool/token2");
  CHECK_THAT(home.hidden(),
             UnorderedEquals(std::vector<std::string>{
                 ".config/tool/access_Token", ".config/tool/token2", ".config/other/auth.json"}));
  CHECK(home.gaps().empty());
}

TEST_CASE("a certificate is hidden only with its private key") {
  Home home;
  home.write("ca.pem", "-----BEGIN CERTIFICATE-----\n");
  home.write("key.pem", kKey);
  home.write("both.pem", std::string("-----BEGIN CERTIFICATE-----\n") + kKey);
  home.spec().shapes = {home.path() + "//*.pem"};
  CHECK_THAT(home.hidden(), UnorderedEquals(std::vector<std::string>{"key.pem", "both.pem"}));
}

TEST_CASE("what is visible in a hidden directory is shown, and all else in it is hidden") {
  Home home;
  for (const char* const name : {"config", "id", "id.pub", "config.d/a"}) {
    home.write(std::string(".ssh/") + name);
  }
  const std::string ssh = home.path() + "/.ssh";
  home.spec().unreadable = {ssh, home.path() + "/.gnupg"};
  home.spec().visible = {ssh + "/config", ssh + "/config.d", ssh + "//*.pub"};
  // The name with a star stands for what comes later.
  CHECK_THAT(home.hidden(),
             UnorderedEquals(std::vector<std::string>{".ssh/*", ".ssh/id", ".gnupg"}));
  CHECK(is_hidden(ssh + "/id", home.spec()));
  CHECK(is_hidden(ssh + "/made/later", home.spec()));
  CHECK_FALSE(is_hidden(ssh + "/config.d/a", home.spec()));
  CHECK_FALSE(is_hidden(ssh + "/new.pub", home.spec()));
  CHECK_FALSE(is_hidden(ssh, home.spec()));
  CHECK_FALSE(is_hidden(home.path() + "/.sshd", home.spec()));
}

TEST_CASE("a shape never hides what holds a granted tree") {
  Home home;
  home.write(".secrets/project/file");
  home.spec().shapes = {home.path() + "//.*secret*"};
  CHECK(home.hidden().size() == 1);
  home.spec().write = {home.path() + "/.secrets/project"};
  CHECK(home.hidden().empty());
}

TEST_CASE("a directory with too many names is named as a gap") {
  constexpr int kMany = 4200;
  Home home;
  for (int i = 0; i < kMany; ++i) home.write(".config/" + std::to_string(i) + "x", "");
  home.spec().shapes = {home.path() + "/.config//*token*"};
  (void)home.hidden();
  REQUIRE(home.gaps().size() == 1);
  CHECK_THAT(home.gaps()[0], Contains(".config is not hidden: it has too many names"));
}

TEST_CASE("a shape means the same with and without a look at the disk") {
  CHECK(is_meant("/h/.config/a/my-token", "/h/.config//*/*token*"));
  CHECK(is_meant("/h/.config/a/tokens/deeper", "/h/.config//*/*token*"));
  CHECK_FALSE(is_meant("/h/.config/a/b/token", "/h/.config//*/*token*"));
  CHECK_FALSE(is_meant("/h/.config/token", "/h/.config//*/*token*"));
  CHECK_FALSE(is_meant("/h/.config", "/h/.config//*/*token*"));
  CHECK_FALSE(is_meant("/h/.configx/a/token", "/h/.config//*/*token*"));
  CHECK(is_meant("/h*/.ssh/id.pub", "/h*/.ssh//*.pub"));
  CHECK_FALSE(is_meant("/hx/.ssh/id.pub", "/h*/.ssh//*.pub"));
}

TEST_CASE("a hidden file reads as the text that stands in for it, and stays what it is") {
  for (const Machine& machine : machines()) {
    Box box(machine);
    INFO(describe(machine));
    box.write("home/.npmrc", "_authToken=secret\n");
    box.write("home/.docker/config.json", "{\"auths\": \"secret\"}\n");
    box.write("home/.m2/settings.xml", "<secret/>\n");
    const std::string npm = box.path("home/.npmrc");
    box.spec().unreadable = {npm, box.path("home/.docker/config.json"),
                             box.path("home/.m2/settings.xml"), box.path("home/.netrc")};
    box.spec().stand_ins = {npm, "registry = https://npm.example/\n"};
    box.spec().temporary_group = "hidden-test-" + std::to_string(machine.user);
    box.spec().shown = {box.path("")};
    const auto seen = box.shell("cd " + box.path("home") +
                                " && cat .npmrc .docker/config.json .m2/settings.xml .netrc; "
                                "echo x > .npmrc; rm -f .npmrc; mv .docker .d; true");
    CHECK_THAT(seen.output, !Contains("secret"));
    if (machine.mounts) {
      CHECK_THAT(seen.output, StartsWith("registry = https://npm.example/\n{}\n<settings/>\n"));
    } else {
      CHECK_THAT(box.report(), Contains(".npmrc is hidden whole"));
    }
    CHECK(text_of(npm) == "_authToken=secret\n");
  }
}

}  // namespace gibbous::testing
