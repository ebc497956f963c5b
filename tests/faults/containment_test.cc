// No orphan, ever: every tree against every way in which a run, its host or its keeper can end. In
// each case, nothing of the tree is left after the grace and a second, and other runs are
// unaffected.
#include "tests/faults/containment.h"
#include "tests/support/turn_watch.h"

namespace gibbous::testing {
namespace {

void against_every_tree(const std::string& name) {
  for (const End& end : ends()) {
    if (end.name != name) continue;
    for (const Tree& tree : trees()) {
      DYNAMIC_SECTION(tree.name) {
        if (!makes_sense(tree, end)) continue;
        AttackedHost host;
        PlantedTree planted(host, tree, end.limits);
        end.act(host, planted);
        CHECK(planted.gone());
        if (end.keeper_survives) CHECK(host.others_untouched());
      }
    }
    return;
  }
  FAIL("no such end: " << name);
}

TEST_CASE("containment: kill") {
  against_every_tree("kill");
}

TEST_CASE("containment: a time limit") {
  against_every_tree("time limit");
}

TEST_CASE("containment: a memory limit") {
  against_every_tree("memory limit");
}

TEST_CASE("containment: an idle limit") {
  against_every_tree("idle limit");
}

TEST_CASE("containment: the session's input ends") {
  against_every_tree("the session's input ends");
}

TEST_CASE("containment: the host is sent SIGTERM") {
  against_every_tree("the host is sent SIGTERM");
}

TEST_CASE("containment: the host is sent SIGKILL") {
  against_every_tree("the host is sent SIGKILL");
}

TEST_CASE("containment: the host crashes") {
  against_every_tree("the host crashes");
}

TEST_CASE("containment: the keeper is sent SIGKILL") {
  against_every_tree("the keeper is sent SIGKILL");
}

TEST_CASE("containment: the keeper is stopped, then the run is killed") {
  against_every_tree("the keeper is stopped, then the run is killed");
}

TEST_CASE("containment: the keeper is stopped, then the host is killed") {
  against_every_tree("the keeper is stopped, then the host is killed");
}

TEST_CASE("containment: the host and its keeper are sent SIGKILL") {
  against_every_tree("the host and its keeper are sent SIGKILL");
}

}  // namespace
}  // namespace gibbous::testing
