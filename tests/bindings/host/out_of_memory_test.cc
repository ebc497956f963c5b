// A run that the kernel kills because the group around has no memory left.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "runtime/process/cgroup_places.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

// Room for this process itself, with sanitizers.
constexpr const char* kLimit = "536870912";

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.flush();
  return file.good();
}

// A control group with little memory, for this process and what it starts. Version 2 has none for
// processes where groups are below.
class SmallGroup {
 public:
  SmallGroup() : around_(find_cgroup_places().memory) {
    if (around_.version != LimitMeans::kCgroup1) return;
    path_ = around_.directory + "/gibbous-test-" + std::to_string(::getpid());
    in_force_ = ::mkdir(path_.c_str(), 0755) == 0 &&
                write(path_ + "/memory.limit_in_bytes", kLimit) && enter(path_);
    (void)write(path_ + "/memory.memsw.limit_in_bytes", kLimit);
  }
  ~SmallGroup() {
    if (path_.empty()) return;
    (void)enter(around_.directory);
    (void)::rmdir(path_.c_str());
  }
  SmallGroup(const SmallGroup&) = delete;
  SmallGroup& operator=(const SmallGroup&) = delete;
  bool in_force() const { return in_force_; }

 private:
  static bool enter(const std::string& group) {
    return write(group + "/cgroup.procs", std::to_string(::getpid()));
  }
  CgroupPlace around_;
  std::string path_;
  bool in_force_ = false;
};

TEST_CASE("a kill by the kernel for the memory of the group around is told") {
  const SmallGroup group;
  if (!group.in_force()) return;
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";
  Host host(options);
  const std::string eater = "choom -n 1000 -- tail /dev/zero";
  for (const std::string& command : {"exec " + eater, eater + "; exit $?"}) {
    const CallResult result =
        host.call("bg_start", {{"command", command}, {"until", {{"exit", true}}}});
    INFO(command << ": " << result.text << result.message);
    CHECK(result.text.find(": killed: out of memory (limit 512.0 MiB) after ") !=
          std::string::npos);
    CHECK(Json::parse(result.data)["until"]["state"] == "killed");
  }
  const CallResult other =
      host.call("bg_start", {{"command", "kill -9 $$"}, {"until", {{"exit", true}}}});
  INFO(other.text);
  CHECK(other.text.find("memory") == std::string::npos);
}

}  // namespace
}  // namespace gibbous::testing
