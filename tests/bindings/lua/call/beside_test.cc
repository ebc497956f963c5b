// Work beside the loop: in order, on a thread, and dropped at the end.
#include "bindings/lua/call/beside.h"

#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

using gibbous::lua::Beside;

TEST_CASE("pieces of work beside the loop are done one after the other on another thread") {
  Beside beside;
  std::vector<int> done;
  std::promise<std::thread::id> last;
  for (int i = 0; i < 50; ++i) beside.run([&done, i] { done.push_back(i); });
  beside.run([&last] { last.set_value(std::this_thread::get_id()); });
  CHECK(last.get_future().get() != std::this_thread::get_id());
  REQUIRE(done.size() == 50);
  for (int i = 0; i < 50; ++i) CHECK(done[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("work beside the loop goes on after a pause") {
  Beside beside;
  for (int i = 0; i < 3; ++i) {
    std::promise<void> done;
    beside.run([&done] { done.set_value(); });
    done.get_future().get();
  }
}

TEST_CASE("what is destroyed with a piece of work is destroyed on the thread") {
  Beside beside;
  std::promise<std::thread::id> destroyed;
  const auto note = [&destroyed](int* held) {
    delete held;
    destroyed.set_value(std::this_thread::get_id());
  };
  beside.run([held = std::shared_ptr<int>(new int(1), note)] {});
  CHECK(destroyed.get_future().get() != std::this_thread::get_id());
}

TEST_CASE("the end drops what waits, and waits for the piece that is being done") {
  std::promise<void> begun;
  std::promise<void> dropped;
  int done = 0;
  {
    Beside beside;
    beside.run([&] {
      begun.set_value();
      dropped.get_future().get();
      ++done;
    });
    begun.get_future().get();
    const auto note = [&dropped](int* held) {
      delete held;
      dropped.set_value();
    };
    beside.run([&done, held = std::shared_ptr<int>(new int(1), note)] { done += 10; });
  }
  CHECK(done == 1);
}
