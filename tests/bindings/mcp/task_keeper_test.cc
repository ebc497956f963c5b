// Tasks on their way into the journal, while another program holds it.
#include "bindings/mcp/task_keeper.h"

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>

#include "gibbous/tasks.h"
#include "runtime/base/clock.h"
#include "runtime/journal/database.h"
#include "runtime/journal/place.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::mcp {
namespace {

// Far more than it takes; a test that works does not wait for it.
constexpr std::chrono::seconds kPatience{60};

TaskRecord record(const std::string& id) {
  TaskRecord made;
  made.id = id;
  made.owner = "me@here";
  made.tool = "wait_for";
  made.created_at = SystemClock().wall().count();
  return made;
}

bool is_recorded(const std::string& directory, const std::string& id) {
  const auto found = find_task(directory, id);
  return found && *found;
}

struct Keeping {
  testing::TempDir directory;
  TaskKeeper keeper{directory.path(), [](const std::function<void()>& work) { work(); }};
};

TEST_CASE("tasks that come at the same time are all recorded, each as it was last") {
  Keeping keeping;
  constexpr int kTasks = 100;
  for (int each = 0; each < kTasks; ++each) {
    keeping.keeper.keep(record("task-" + std::to_string(each)));
  }
  TaskRecord over = record("task-1");
  over.status = "completed";
  over.finished_at = over.created_at;
  keeping.keeper.keep(over);
  keeping.keeper.finish(kPatience);
  for (int each = 0; each < kTasks; ++each) {
    CHECK(is_recorded(keeping.directory.path(), "task-" + std::to_string(each)));
  }
}

TEST_CASE("while another program writes, tasks are found, and new ones are recorded later") {
  Keeping keeping;
  const std::string directory = keeping.directory.path();
  keeping.keeper.keep(record("earlier"));
  keeping.keeper.finish(kPatience);
  REQUIRE(is_recorded(directory, "earlier"));

  auto other = Database::open(journal_path(directory), Database::Mode::kWrite, Millis{0});
  REQUIRE(other);
  REQUIRE((*other)->execute("BEGIN IMMEDIATE"));
  keeping.keeper.keep(record("later"));
  keeping.keeper.finish(std::chrono::milliseconds{0});
  std::promise<bool> found;
  keeping.keeper.find("earlier", [&found](const Result<std::optional<TaskRecord>>& task) {
    found.set_value(task && task->has_value());
  });
  CHECK(found.get_future().get());
  CHECK_FALSE(is_recorded(directory, "later"));

  REQUIRE((*other)->execute("COMMIT"));
  keeping.keeper.finish(kPatience);
  CHECK(is_recorded(directory, "later"));
}

TEST_CASE("a state directory that cannot be read is an error, not a task that is unknown") {
  Keeping keeping;
  const std::string file = keeping.directory.path() + "/file";
  keeping.directory.write("file", "");
  TaskKeeper keeper{file, [](const std::function<void()>& work) { work(); }};
  std::promise<Status> answer;
  keeper.find("old", [&answer](const Result<std::optional<TaskRecord>>& task) {
    answer.set_value(task.status());
  });
  CHECK_FALSE(answer.get_future().get());
}

}  // namespace
}  // namespace gibbous::mcp
