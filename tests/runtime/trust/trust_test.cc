// What is read of a layer, who owns it, and what is remembered as trusted.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime/base/random_id.h"
#include "runtime/trust/root_owned.h"
#include "runtime/trust/tree.h"
#include "runtime/trust/trust_store.h"
#include "tests/support/catch.h"
#include "tests/support/patient_fork.h"

namespace gibbous::trust {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

constexpr unsigned kNobody = 65534;

class Place {
 public:
  Place() : path_(fs::temp_directory_path() / ("gibbous-trust-" + random_id())) {
    fs::create_directories(path_);
    ::chmod(path_.c_str(), 0755);
  }
  ~Place() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  std::string layer() const { return at("layer"); }
  void write(const std::string& name, const std::string& text) const {
    const fs::path file = path_ / "layer" / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    ::chmod(file.c_str(), 0644);
  }
  Tree read(TreeOwner owner = TreeOwner::kAnybody) const {
    auto tree = read_tree(layer(), owner);
    INFO((tree ? "" : tree.status().message()));
    REQUIRE(tree);
    return std::move(*tree);
  }
  Status refused(TreeOwner owner = TreeOwner::kAnybody) const {
    const auto tree = read_tree(layer(), owner);
    REQUIRE_FALSE(tree);
    return tree.status();
  }
  TrustStore store() const { return TrustStore(at("state")); }

 private:
  fs::path path_;
};

Trusted trusted_of(const Tree& tree) {
  return {kProject, tree.directory, tree.hash, hashes_of(tree), "ann", 1'790'000'000};
}

TEST_CASE("the hash of a directory counts names, bytes and modes") {
  const Place place;
  place.write("config.lua", "return {}");
  place.write("policies/init.lua", "return { rules = {} }");
  const Tree first = place.read();
  REQUIRE(first.files.size() == 2);
  CHECK(first.files[1].name == "policies/init.lua");
  CHECK(place.read().hash == first.hash);
  const auto changed = [&] {
    const Tree now = place.read();
    CHECK(now.hash != first.hash);
    return differences(hashes_of(first), hashes_of(now));
  };
  SECTION("bytes") {
    place.write("config.lua", "return { }");
    CHECK(changed() == std::vector<std::string>{"~ config.lua"});
  }
  SECTION("a mode") {
    REQUIRE(::chmod((place.layer() + "/config.lua").c_str(), 0755) == 0);
    CHECK(changed() == std::vector<std::string>{"~ config.lua"});
  }
  SECTION("a name") {
    fs::rename(place.layer() + "/config.lua", place.layer() + "/other.lua");
    CHECK(changed() == std::vector<std::string>{"+ other.lua", "- config.lua"});
  }
  SECTION("one more file") {
    place.write("scripts/init.lua", "");
    CHECK(changed() == std::vector<std::string>{"+ scripts/init.lua"});
  }
}

TEST_CASE("a link, a pipe and a directory that is a link are refused, and named") {
  const Place place;
  place.write("config.lua", "return {}");
  SECTION("a link to a file outside") {
    fs::create_symlink("/etc/passwd", place.layer() + "/x.lua");
    CHECK_THAT(place.refused().message(), Contains("/x.lua: it is a symbolic link"));
  }
  SECTION("a directory that is a link") {
    fs::create_directory_symlink("/etc", place.layer() + "/policies");
    CHECK_THAT(place.refused().message(), Contains("/policies: it is a symbolic link"));
  }
  SECTION("a pipe, which nobody writes to") {
    REQUIRE(::mkfifo((place.layer() + "/pipe").c_str(), 0600) == 0);
    CHECK_THAT(place.refused().message(), Contains("neither a regular file nor a directory"));
  }
  SECTION("the layer itself") {
    fs::rename(place.layer(), place.at("real"));
    fs::create_directory_symlink(place.at("real"), place.layer());
    CHECK_THAT(place.refused().message(), Contains("layer: it is a symbolic link"));
  }
}

TEST_CASE("a directory with too much in it is refused before it is read") {
  const Place place;
  SECTION("many files") {
    for (std::size_t count = 0; count <= kMaxTreeEntries; ++count) {
      place.write(std::to_string(count), "");
    }
    CHECK_THAT(place.refused().message(), Contains("more than 512 files and directories"));
  }
  SECTION("a large file") {
    place.write("config.lua", "");
    fs::resize_file(place.layer() + "/config.lua", std::uintmax_t{1} << 40);
    CHECK_THAT(place.refused().message(), Contains("larger than 1048576 bytes"));
  }
  SECTION("deep directories") {
    place.write("a/b/c/d/e/f/g/h/i/x.lua", "");
    CHECK_THAT(place.refused().message(), Contains("more than 8 directories deep"));
  }
}

TEST_CASE("a missing directory is told from one that cannot be used") {
  const Place place;
  CHECK(place.refused().code() == "layer_missing");
  std::ofstream(place.layer()) << "a file";
  CHECK(place.refused().code() == "layer_unusable");
}

TEST_CASE("a file that cannot be read makes the whole layer unusable") {
  if (::geteuid() != 0) return;
  const Place place;
  place.write("config.lua", "return {}");
  REQUIRE(::chmod((place.layer() + "/config.lua").c_str(), 0000) == 0);
  const pid_t child = gibbous::testing::patient_fork();
  if (child == 0) {  // root reads everything
    if (::setresgid(kNobody, kNobody, kNobody) != 0) ::_exit(3);
    if (::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(3);
    const auto tree = read_tree(place.layer(), TreeOwner::kAnybody);
    const bool named =
        !tree && tree.status().code() == "layer_unusable" &&
        tree.status().message().find("config.lua: cannot be read") != std::string::npos;
    ::_exit(named ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("what is managed must belong to root, and nobody else may write to it") {
  if (::geteuid() != 0) return;
  const Place place;
  place.write("config.lua", "return {}");
  CHECK(place.read(TreeOwner::kRoot).files.size() == 1);
  const std::string file = place.layer() + "/config.lua";
  SECTION("a file of somebody else") {
    REQUIRE(::chown(file.c_str(), kNobody, kNobody) == 0);
    CHECK_THAT(place.refused(TreeOwner::kRoot).message(),
               Contains("config.lua: it does not belong to root"));
  }
  SECTION("a file that its group may write to") {
    REQUIRE(::chmod(file.c_str(), 0664) == 0);
    CHECK_THAT(place.refused(TreeOwner::kRoot).message(), Contains("(mode 0664; chmod go-w it)"));
  }
  SECTION("a directory that others may write to") {
    REQUIRE(::chmod(place.layer().c_str(), 0777) == 0);
    CHECK_THAT(place.refused(TreeOwner::kRoot).message(), Contains("others than root may write"));
  }
}

TEST_CASE("every directory on the way counts, also behind a symbolic link") {
  if (::geteuid() != 0) return;
  CHECK(objection_to_root_path("/etc/gibbous/config.lua").empty());
  CHECK(objection_to_root_path("/nothing/at/all").empty());
  const Place place;
  // Temporary directories can be written by everybody.
  CHECK_THAT(objection_to_root_path(place.layer()), Contains("can be written by others than root"));
  const std::string root = "/run/gibbous-trust-" + random_id();
  fs::create_directories(root + "/real/below");
  CHECK(objection_to_root_path(root + "/real/below").empty());
  fs::create_directory_symlink("real/../real", root + "/link");
  CHECK(objection_to_root_path(root + "/link/below").empty());
  REQUIRE(::chown((root + "/real").c_str(), kNobody, kNobody) == 0);
  CHECK_THAT(objection_to_root_path(root + "/link/below"),
             Contains("/real does not belong to root"));
  fs::create_directory_symlink(root + "/loop", root + "/loop");
  CHECK_THAT(objection_to_root_path(root + "/loop/x"), Contains("leads nowhere"));
  fs::remove_all(root);
}

TEST_CASE("what was trusted is there for another process, until it is revoked") {
  const Place place;
  place.write("config.lua", "return {}");
  const Tree tree = place.read();
  REQUIRE(place.store().list().value().empty());
  REQUIRE(place.store().add(trusted_of(tree)));
  const auto all = place.store().list();
  REQUIRE(all);
  REQUIRE(all->size() == 1);
  CHECK(all->front().path == tree.directory);
  CHECK(all->front().hash == tree.hash);
  REQUIRE(all->front().files.size() == 1);
  CHECK(all->front().files.front().hash == tree.files.front().hash);
  CHECK(place.store().remove(tree.directory).value());
  CHECK_FALSE(place.store().remove(tree.directory).value());
  CHECK(place.store().list().value().empty());
}

TEST_CASE("names with any bytes stay one field") {
  const Place place;
  const Trusted odd{kProject, "/a\tb\nc\\d", "hash", {{"x\n\ty", "h"}}, "who\n", 7};
  REQUIRE(place.store().add(odd));
  const auto all = place.store().list();
  REQUIRE(all);
  CHECK(all->front().path == odd.path);
  CHECK(all->front().files.front().name == odd.files.front().name);
}

TEST_CASE("processes that trust at the same time lose none of each other's") {
  constexpr int kProcesses = 4;
  constexpr int kEach = 5;
  const Place place;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = gibbous::testing::patient_fork();
    if (child == 0) {
      bool good = true;
      for (int each = 0; each < kEach; ++each) {
        Trusted trusted{kProject, "/p" + std::to_string(process * kEach + each), "h", {}, "", 1};
        Status added;
        do added = place.store().add(trusted);
        while (added.code() == "state_busy");
        good = good && added.ok();
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(place.store().list().value().size() == kProcesses * kEach);
}

TEST_CASE("a damaged file trusts nothing, says so, and is not replaced") {
  const Place place;
  place.write("config.lua", "return {}");
  const Tree tree = place.read();
  REQUIRE(place.store().add(trusted_of(tree)));
  const std::string file = place.at("state/trusted");
  const auto read = [&] {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string good = read();
  const auto with = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    return place.store().list().status();
  };
  CHECK(with(good).ok());
  CHECK(with("").code() == "trust_damaged");
  CHECK(with(good.substr(0, good.size() / 2)).code() == "trust_damaged");
  CHECK(with(good + "file\thash=x\tname=y\n").code() == "trust_damaged");
  CHECK(with("gibbous-trusted 2 x\n").code() == "trust_newer");
  CHECK(with(std::string(kMaxStateTableBytes + 1, 'x')).code() == "trust_damaged");
  std::string other = good;
  other.replace(other.find("config.lua"), 6, "CONFIG");
  const Status edited = with(other);
  CHECK(edited.code() == "trust_damaged");
  CHECK_THAT(edited.message(), Contains("Remove it, and trust again"));
  CHECK(place.store().add(trusted_of(tree)).code() == "trust_damaged");
  CHECK(read() == other);
}

TEST_CASE("no link is followed, neither to read nor to write") {
  const Place place;
  place.write("config.lua", "return {}");
  const Tree tree = place.read();
  REQUIRE(place.store().add(trusted_of(tree)));
  const std::string file = place.at("state/trusted");
  const std::string other = place.at("elsewhere");
  fs::rename(file, other);
  fs::create_symlink(other, file);
  CHECK(place.store().list().status().code() == "state_file_unusable");
  CHECK(place.store().add(trusted_of(tree)).code() == "state_file_unusable");
  fs::remove(file);
  // Where the new file is written before it takes the place of the old one.
  std::ofstream(other) << "mine";
  fs::create_symlink(other, file + ".new");
  REQUIRE(place.store().add(trusted_of(tree)));
  CHECK(fs::file_size(other) == 4);
}

TEST_CASE("a file that others may write to trusts nothing") {
  const Place place;
  REQUIRE(place.store().add({kProject, "/x", "h", {}, "", 1}));
  REQUIRE(::chmod(place.at("state/trusted").c_str(), 0666) == 0);
  CHECK(place.store().list().status().code() == "state_file_unusable");
}

TEST_CASE("a full disk leaves what was trusted as it was") {
  const Place place;
  REQUIRE(place.store().add({kProject, "/x", "h", {}, "", 1}));
  const pid_t child = gibbous::testing::patient_fork();
  if (child == 0) {
    const rlimit none{16, 16};
    ::setrlimit(RLIMIT_FSIZE, &none);
    const Status added = place.store().add({kProject, "/y", "h", {}, "", 1});
    ::_exit(added.code() == "state_file_unusable" ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  const auto all = place.store().list();
  REQUIRE(all);
  CHECK(all->size() == 1);
}

}  // namespace
}  // namespace gibbous::trust
