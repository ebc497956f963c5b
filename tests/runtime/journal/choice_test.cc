// Which queued runs start first, and which wait for a place.
#include <string>
#include <vector>

#include "tests/runtime/journal/crew.h"

namespace gibbous::testing {
namespace {

using Ids = std::vector<std::string>;
constexpr std::size_t kAll = 100;

RunRecord of_client(const std::string& id, const std::string& client, const std::string& queue) {
  RunRecord run = queued(id, queue);
  run.client = client;
  return run;
}

RunRecord labelled(const std::string& id, const std::string& label) {
  RunRecord run = queued(id, id);
  run.meta_json = R"({"label":")" + label + R"("})";
  return run;
}

ClaimScope with_places(std::size_t of_client, std::size_t of_machine) {
  ClaimScope scope;
  scope.places.of_client = of_client;
  scope.places.of_machine = of_machine;
  return scope;
}

TEST_CASE("a run with a higher priority comes first, also before earlier ones of its queue") {
  Crew crew;
  const auto worker = crew.hire("w");
  REQUIRE(worker->put(queued("first")));
  RunRecord urgent = queued("urgent");
  urgent.priority = 1;
  REQUIRE(worker->put(urgent));
  RunRecord minor = queued("minor", "another");
  minor.priority = -1;
  REQUIRE(worker->put(minor));
  REQUIRE(worker->put(queued("usual", "third")));
  CHECK(crew.reader()->queue_place("first")->before->run_id == "urgent");
  CHECK_FALSE(crew.reader()->queue_place("urgent")->before);
  CHECK(worker->claimed() == Ids{"urgent", "usual", "minor"});
}

TEST_CASE("a client has its own number of runs at the same time") {
  Crew crew;
  const auto worker = crew.hire("w");
  for (const char* id : {"a", "b", "c"}) REQUIRE(worker->put(of_client(id, "one", id)));
  REQUIRE(worker->put(of_client("d", "two", "d")));
  ClaimScope scope = with_places(2, 0);
  CHECK(worker->claimed(kAll, scope) == Ids{"a", "d", "b"});
  const auto place = crew.reader()->queue_place("c", scope);
  CHECK(place->lacks == PlaceOf::kClient);
  CHECK(worker->claimed(kAll, scope).empty());
  REQUIRE(worker->put(with_status(of_client("a", "one", "a"), "completed")));
  SECTION("which the runs that are not recorded yet count for, too") {
    scope.places.taken["one"] = 2;
    CHECK(worker->claimed(kAll, scope).empty());
  }
  SECTION("and one that ends makes room") {
    CHECK(worker->claimed(kAll, scope) == Ids{"c"});
  }
}

TEST_CASE("clients share the places of the machine, the one with the fewest runs first") {
  Crew crew;
  const auto worker = crew.hire("w");
  for (const char* id : {"a", "b", "c"}) REQUIRE(worker->put(of_client(id, "many", id)));
  REQUIRE(worker->put(of_client("late", "one", "late")));
  const ClaimScope scope = with_places(10, 2);
  CHECK(worker->claimed(kAll, scope) == Ids{"a", "late"});
  const auto place = crew.reader()->queue_place("c", scope);
  CHECK(place->lacks == PlaceOf::kMachine);
  CHECK(place->ahead == 1);
  REQUIRE(worker->put(with_status(of_client("a", "many", "a"), "completed")));
  CHECK(worker->claimed(kAll, scope) == Ids{"b"});
}

TEST_CASE("a label has its own number of runs at the same time, whichever client started them") {
  Crew crew;
  const auto worker = crew.hire("w");
  REQUIRE(worker->put(labelled("a", "gpu")));
  REQUIRE(worker->put(labelled("b", "gpu")));
  REQUIRE(worker->put(labelled("c", "other")));
  ClaimScope scope;
  scope.places.of_label["gpu"] = 1;
  CHECK(worker->claimed(kAll, scope) == Ids{"a", "c"});
  CHECK(crew.reader()->queue_place("b", scope)->lacks == PlaceOf::kLabel);
  REQUIRE(worker->put(with_status(labelled("a", "gpu"), "completed")));
  CHECK(worker->claimed(kAll, scope) == Ids{"b"});
}

TEST_CASE("a run that waits in its host, and one that its caller waits for, take no place") {
  Crew crew;
  const auto worker = crew.hire("w");
  RunRecord waiting = queued("waiting", "x");
  waiting.status = "starting";
  waiting.error_message = "it waits for a place";
  REQUIRE(worker->put(waiting));
  RunRecord awaited = queued("awaited", "y");
  awaited.status = "running";
  awaited.background = false;
  REQUIRE(worker->put(awaited));
  REQUIRE(worker->put(queued("a")));
  CHECK(worker->claimed(kAll, with_places(1, 1)) == Ids{"a"});
}

TEST_CASE("a worker that is patient enough takes a place before others that come first") {
  Crew crew;
  const auto stopped = crew.hire("stopped");
  const auto other = crew.hire("other");
  RunRecord first = of_client("first", "one", "one");
  first.owner = "stopped";
  REQUIRE(stopped->put(first));
  REQUIRE(other->put(of_client("second", "two", "two")));
  ClaimScope scope = with_places(1, 1);
  scope.all = false;
  scope.unclaimed = false;
  scope.clients = {"two"};
  CHECK(other->claimed(kAll, scope).empty());
  const auto choices = crew.reader()->queue_choices(scope, kAll);
  CHECK(choices->now.empty());
  CHECK(choices->lacks_place);
  CHECK(choices->behind == 1);
  scope.places.patient = true;
  CHECK(other->claimed(kAll, scope) == Ids{"second"});
}

TEST_CASE("a run that its own worker does not start in time is any other's") {
  Crew crew;
  const auto stopped = crew.hire("stopped");
  const auto other = crew.hire("other");
  RunRecord run = queued("a");
  run.owner = "stopped";
  REQUIRE(stopped->put(run));
  ClaimScope scope;
  CHECK(other->claimed(kAll, scope).empty());
  scope.overdue = {"a"};
  CHECK(other->claimed(kAll, scope) == Ids{"a"});
  CHECK(stopped->claimed().empty());
}

}  // namespace
}  // namespace gibbous::testing
