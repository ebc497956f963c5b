// Fails the k-th allocation of a mixed script, for every k, and then allocations at random: no
// crash, an error that says what happened or a correct answer, and a state that is usable
// afterwards.
#include <lua.hpp>
#include <random>
#include <string>

#include "bindings/lua/vm/state.h"
#include "bindings/lua/vm/value.h"
#include "tests/bindings/lua/vm/state_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using test::make_state;
using test::run;

// Sits between LuaJIT and the MemoryCap. lua_setallocf has room for one pointer, which State::of()
// needs, so the only instance is found through a static pointer.
class FailingAllocator {
 public:
  FailingAllocator(State& state, std::size_t fail_at, unsigned percent, unsigned seed)
      : state_(state.main()), fail_at_(fail_at), percent_(percent), random_(seed) {
    current() = this;
    inner_ = lua_getallocf(state_, &cap_);
    lua_setallocf(state_, &FailingAllocator::allocate, cap_);
  }
  ~FailingAllocator() {
    lua_setallocf(state_, inner_, cap_);
    current() = nullptr;
  }
  FailingAllocator(const FailingAllocator&) = delete;
  FailingAllocator& operator=(const FailingAllocator&) = delete;

  bool failed() const { return failures_ > 0; }

 private:
  static FailingAllocator*& current() {
    static FailingAllocator* instance = nullptr;
    return instance;
  }
  static void* allocate(void* cap, void* block, std::size_t old_size, std::size_t new_size) {
    FailingAllocator& self = *current();
    if (new_size > old_size && self.fails()) {
      ++self.failures_;
      return nullptr;
    }
    return self.inner_(cap, block, old_size, new_size);
  }
  bool fails() {
    if (percent_ > 0) return random_() % 1000 < percent_;
    return ++count_ == fail_at_;
  }

  lua_State* state_;
  lua_Alloc inner_ = nullptr;
  void* cap_ = nullptr;
  std::size_t count_ = 0;
  std::size_t fail_at_;
  std::size_t failures_ = 0;
  unsigned percent_;
  std::minstd_rand random_;
};

constexpr const char* kMixed = R"lua(
local function work()
  local parts = {}
  for i = 1, 60 do
    parts[#parts + 1] = ('item %d'):format(i) .. tostring(i * 1.5)
    parts['key' .. i] = { i, name = 'n' .. i, f = function() return i end }
  end
  local text = table.concat(parts, ',')
  local upper = text:gsub('%a+', function(word) return word:upper() end):rep(2, '|')
  local swapped = upper:gsub('(%d)(%.)', '%2%1')
  for word in swapped:gmatch('%u+') do
    parts[#parts + 1] = word
  end
  table.sort(parts, function(a, b) return a < b end)
  table.insert(parts, 1, 'first')
  local object = setmetatable({}, {
    __index = function(_, key) return key .. '!' end,
    __tostring = function() return 'object ' .. #parts end,
    __concat = function(a, b) return tostring(a) .. tostring(b) end,
  })
  local shown = string.format('%s %q', object, object.key) .. (object .. 'tail')
  local ok, err = pcall(error, { code = 'expected', message = shown })
  assert(not ok and (type(err) ~= 'table' or err.code == 'expected'))
  local handled = { xpcall(function() local x = nil; return x.field end, function(e, trace)
    return e .. trace
  end) }
  local data = json.decode('{"list":[1,2,{"deep":[true,null,"text"]}],"empty":[],"number":1.5}')
  local encoded = json.encode({ data = data, handled = #handled, shown = shown })
  return encoded:find('deep', 1, true) and #encoded
end
local first = work()
assert(first == work() and first > 100)
)lua";

// Every end is fine except a crash or a wrong answer (an assertion of the script).
void check_ended(const ScriptError& error) {
  INFO(error.text());
  const bool memory = error.code == "memory_exceeded" ||
                      error.message.find("not enough memory") != std::string::npos;
  // A handler that could not be called, or a caught failure that made the two answers differ.
  const bool consequence = error.message.find("error in error handling") != std::string::npos ||
                           error.message.find("assertion failed") != std::string::npos ||
                           error.message.find("attempt to") != std::string::npos;
  CHECK((error.message.empty() || memory || consequence));
}

void check_usable(State& state) {
  const ScriptError error = run(state, kMixed, "again.lua");
  CHECK(error.text().empty());
}

TEST_CASE("no failing allocation crashes a script") {
  constexpr std::size_t kMost = 20'000;
  std::size_t at = 1;
  for (bool failed = true; failed; ++at) {
    REQUIRE(at < kMost);
    // A used state would not allocate its interned strings again.
    auto state = make_state();
    ScriptError error;
    {
      FailingAllocator allocator(*state, at, 0, 1);
      error = run(*state, kMixed, "mixed.lua");
      failed = allocator.failed();
    }
    check_ended(error);
    if (!failed) CHECK(error.text().empty());
    if (at % 4 == 0) check_usable(*state);
  }
  CHECK(at > 500);
}

TEST_CASE("no failing allocation crashes a task") {
  constexpr std::size_t kMost = 20'000;
  std::size_t at = 1;
  for (bool failed = true; failed; at += 3) {
    REQUIRE(at < kMost);
    auto state = make_state();
    lua_State* task = nullptr;
    LuaRef keep;
    ScriptError error;
    REQUIRE(state->protect(
        {},
        [&](lua_State* lua) {
          task = lua_newthread(lua);
          keep = LuaRef::take(lua);
          REQUIRE(load_chunk(task, kMixed, "task.lua"));
        },
        &error));
    BudgetLimits limits;
    limits.total = test::kPlenty;
    limits.slice = std::chrono::microseconds(50);
    limits.instructions = 50;
    limits.root = task;
    int status = LUA_YIELD;
    {
      FailingAllocator allocator(*state, at, 0, 1);
      while (status == LUA_YIELD) {
        state->budget().arm(state->main(), limits);
        status = lua_resume(task, 0);
        state->budget().disarm(state->main());
        state->budget().take_sliced();
      }
      if (status != 0) check_ended(state->resume_error(task, status));
      failed = allocator.failed();
    }
    keep.reset();
    check_usable(*state);
  }
}

TEST_CASE("allocations that fail at random crash nothing") {
  constexpr unsigned kRounds = 400;
  auto state = make_state();
  for (unsigned round = 1; round <= kRounds; ++round) {
    {
      FailingAllocator allocator(*state, 0, 1 + round % 20, round);
      for (int again = 0; again < 3; ++again) check_ended(run(*state, kMixed, "random.lua"));
    }
    check_usable(*state);
    if (round % 20 == 0) state = make_state();
  }
}

TEST_CASE("values that cross into Lua while memory runs out arrive whole or not at all") {
  const Json value = Json::parse(R"({"a":[1,2,{"b":"text"}],"c":{"d":[],"e":null}})");
  bool failed = true;
  for (std::size_t at = 1; failed; ++at) {
    auto state = make_state();
    Json back;
    ScriptError error;
    bool ok = false;
    {
      FailingAllocator allocator(*state, at, 0, 1);
      ok = state->protect(
          {},
          [&](lua_State* lua) {
            push_json(lua, value);
            back = to_json(lua, -1);
          },
          &error);
      failed = allocator.failed();
    }
    if (ok) {
      CHECK(back == value);
    } else {
      CHECK(error.code == "memory_exceeded");
    }
  }
}

}  // namespace
}  // namespace gibbous::lua
