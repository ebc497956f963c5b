// CpuShare: figures that are asked for often say as much as rare ones.
#include "runtime/runs/cpu_share.h"

#include "tests/support/catch.h"

namespace gibbous {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("a share that is asked for twice in a row is the same, not none") {
  CpuShare share;
  share.begin(seconds(100));
  CHECK(share.percent(seconds(5), seconds(110)) == 50.0);
  CHECK(share.percent(seconds(5), seconds(110)) == 50.0);
  CHECK(share.percent(milliseconds(5010), seconds(110) + milliseconds(20)) == 50.0);
}

TEST_CASE("a share is that of the time since an earlier question a second ago or more") {
  CpuShare share;
  share.begin(seconds(100));
  CHECK(share.percent(seconds(10), seconds(110)) == 100.0);
  CHECK(share.percent(seconds(10), seconds(112)) == 0.0);
  CHECK(share.percent(milliseconds(10'500), milliseconds(112'500)) == 20.0);
}

TEST_CASE("a run that is asked at once after its start uses what it has used so far") {
  CpuShare share;
  share.begin(seconds(100));
  CHECK(share.percent(milliseconds(0), seconds(100)) == 0.0);
  CHECK(share.percent(milliseconds(10), seconds(100) + milliseconds(20)) == 50.0);
}

}  // namespace
}  // namespace gibbous
