// Which devices runs have beyond those that every program needs.
#include "runtime/sandbox/devices.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/runtime/sandbox/box.h"

namespace gibbous {
namespace {

using testing::Box;
using testing::Contains;
using testing::describe;
using testing::machines;

TEST_CASE("graphics cards are told from screens and from everything else by their names") {
  for (const char* const path :
       {"/dev/nvidia0", "/dev/nvidia15", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/kfd",
        "/dev/nvidia-caps/nvidia-cap1", "/dev/dri/renderD128"}) {
    INFO(path);
    CHECK(is_graphics_device(path));
    CHECK_FALSE(may_be_granted(path));
  }
  for (const char* const path : {"/dev/kvm", "/dev/dri/card0", "/dev/snd", "/dev/snd/pcmC0D0p",
                                 "/dev/bus/usb/001/002", "/dev/ttyUSB0", "/dev/video0"}) {
    INFO(path);
    CHECK_FALSE(is_graphics_device(path));
    CHECK(may_be_granted(path));
  }
  for (const char* const path :
       {"/dev", "/dev/mem", "/dev/sda", "/dev/dri", "/dev/dri/renderD128/x", "/dev/bus",
        "/dev/tty1", "/dev/kvm/../mem", "/dev/nvidia", "/ws/dev/kfd", "/dev/input/event0",
        "/dev/fuse"}) {
    INFO(path);
    CHECK_FALSE(is_graphics_device(path));
    CHECK_FALSE(may_be_granted(path));
  }
}

TEST_CASE("of the names of graphics cards only devices count, and no links") {
  const testing::TempDir directory;
  const std::string around = directory.path();
  CHECK(graphics_devices(around).empty());
  CHECK(graphics_devices(around + "/none").empty());
  ::mkdir((around + "/dri").c_str(), 0700);
  directory.write("kfd", "a file");
  REQUIRE(::symlink("/dev/mem", (around + "/nvidia0").c_str()) == 0);
  CHECK(graphics_devices(around).empty());
  if (::mknod((around + "/dri/renderD128").c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) {
    WARN("no right to make a device here");
    return;
  }
  CHECK(graphics_devices(around) == std::vector{around + "/dri/renderD128"});
}

TEST_CASE("a device is granted where the profile names it, and no other") {
  // A name that no machine has: what it is of is /dev/null.
  const std::string device = "/dev/ttyUSB9731";
  if (::mknod(device.c_str(), S_IFCHR, makedev(1, 3)) != 0 || ::chmod(device.c_str(), 0666) != 0) {
    WARN("no right to make a device here");
    return;
  }
  for (const auto& machine : machines()) {
    INFO(describe(machine));
    Box box(machine);
    const std::string tried =
        "(echo x > " + device +
        ") 2>/dev/null && echo opened; (exec 3</dev/loop0) 2>/dev/null && echo other";
    CHECK_THAT(box.shell(tried).output, !Contains("opened") && !Contains("other"));
    box.spec().write.push_back(device);
    CHECK_THAT(box.shell(tried).output, Contains("opened") && !Contains("other"));
  }
  (void)::unlink(device.c_str());
}

}  // namespace
}  // namespace gibbous
