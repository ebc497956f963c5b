// is_dying: what the kernel says of a process that cannot be waited for.
#include "runtime/process/dying.h"

#include <signal.h>

#include <chrono>

#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"
#include "tests/support/remote_disk.h"

namespace gibbous {
namespace {

using testing::fixture;
using testing::Loop;
using testing::Program;
using testing::RemoteDisk;

// Closing a file asks its file system, and nothing is pending then any more.
TEST_CASE("a process that hangs in its end is dying") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  disk.ask_at_close();
  Loop loop;
  Program holder(
      {{"/bin/sh", "-c", "exec 3< " + disk.path("file") + "; echo up; exec sleep 1000"}, {}, ""});
  REQUIRE(holder.read_line() == "up");
  disk.die();
  CHECK_FALSE(is_dying(holder.pid()));
  holder.send_signal(SIGKILL);
  CHECK(loop.until([&] { return is_dying(holder.pid()); }));
  CHECK(loop.until([&] { return disk.holds_requests(); }));
  CHECK(is_dying(holder.pid()));
  CHECK_FALSE(holder.wait(std::chrono::milliseconds(0)));  // it still hangs
  disk.live();
  CHECK(holder.wait());
}

TEST_CASE("a process whose first thread alone has ended is not dying") {
  Program program({{fixture("first_thread_ends")}, {}, ""});
  REQUIRE(program.read_line() == "ended");
  CHECK_FALSE(is_dying(program.pid()));
  program.send_signal(SIGKILL);
  CHECK(program.wait());
}

}  // namespace
}  // namespace gibbous
