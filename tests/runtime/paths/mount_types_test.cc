#include "runtime/paths/mount_types.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/remote_disk.h"

namespace gibbous::paths {
namespace {

constexpr char kRoot[] = "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n";

TEST_CASE("mounts: one that another machine or process answers for is not local") {
  const auto table =
      MountTable::parse(std::string(kRoot) + "30 21 0:5 / /srv rw - nfs4 server:/srv rw\n" +
                        "31 21 0:6 / /home/u/far rw - fuse.sshfs host: rw\n" +
                        "32 21 0:7 / /tmp rw - tmpfs tmpfs rw\n");
  CHECK_FALSE(table.all_local());
  CHECK(table.is_local(21));
  CHECK(table.is_local(32));
  CHECK_FALSE(table.is_local(30));
  CHECK_FALSE(table.is_local(31));
  CHECK_FALSE(table.is_local(99));
}

TEST_CASE("mounts: local ones alone need no care") {
  const auto table = MountTable::parse(kRoot);
  CHECK(table.all_local());
  CHECK(table.is_local(21));
}

TEST_CASE("mounts: what systemd mounts on demand in the kernel's own trees holds nobody up") {
  const std::string in_proc = "35 22 0:30 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw\n";
  CHECK(MountTable::parse(kRoot + in_proc).all_local());
  CHECK_FALSE(
      MountTable::parse(std::string(kRoot) + "36 21 0:31 / /net rw - autofs x rw\n").all_local());
}

TEST_CASE(
    "mounts: those who hold the table of this process share it, and a forked one has its own") {
  const auto one = MountTypes::of_process();
  CHECK(MountTypes::of_process() == one);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(MountTypes::of_process() == one ? 1 : 0);
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(MountTypes::of_process() == one);
}

TEST_CASE("mounts: what cannot be read counts as not local") {
  CHECK_FALSE(MountTable::parse("").all_local());
  CHECK_FALSE(MountTable::parse("nonsense\n").all_local());
  CHECK_FALSE(MountTable::parse("21 1 8:1 / / rw\n").all_local());
  const auto partly = MountTable::parse(std::string(kRoot) + "x y z - ext4 a b\n");
  CHECK_FALSE(partly.all_local());
  CHECK(partly.is_local(21));
}

TEST_CASE("mounts: a new one is noticed, and so is its end") {
  (void)testing::RemoteDisk::take_own_mounts();
  MountTypes types;
  const auto local_before = types.now();
  CHECK(types.now() == local_before);  // read once
  {
    const testing::RemoteDisk disk;
    if (!disk.mounted()) {
      WARN("not tested: " + disk.said());
      return;
    }
    CHECK_FALSE(types.now()->all_local());
    struct statx info {};
    REQUIRE(::statx(AT_FDCWD, disk.directory().c_str(), AT_STATX_DONT_SYNC, STATX_MNT_ID, &info) ==
            0);
    CHECK_FALSE(types.now()->is_local(info.stx_mnt_id));
  }
  CHECK(types.now()->all_local() == local_before->all_local());
}

}  // namespace
}  // namespace gibbous::paths
