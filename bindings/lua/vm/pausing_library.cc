// Errors name the line of the script that called, as those of the originals do.
#include "bindings/lua/vm/pausing_library.h"

#include <lua.hpp>
#include <string_view>

#include "bindings/lua/vm/sandbox.h"

namespace gibbous::lua {
namespace {

// A wrong argument is left to the original, whose error names it.
constexpr std::string_view kGsub = R"(
local gsub, search, sub, concat, type, select, error, pcall = ...
-- An error of the search, such as a malformed pattern, names the line of the script.
local function replace(with, text, found, first, last, ...)
  if not found then
    error(first, first == 'not enough memory' and 0 or 3)
  elseif not first then
    return
  elseif select('#', ...) > 0 then
    return first, last, with(...)
  end
  return first, last, with(sub(text, first, last))
end
return function(text, pattern, with, most)
  local kind = type(text)
  if type(with) ~= 'function' or kind ~= 'string' and kind ~= 'number'
    or type(pattern) ~= 'string' or most ~= nil and type(most) ~= 'number' then
    return gsub(text, pattern, with, most)
  end
  text = text .. ''
  local parts, count, at = {}, 0, 1
  local anchored = sub(pattern, 1, 1) == '^'
  while count < (most or count + 1) and at <= #text + 1 do
    local first, last, new = replace(with, text, pcall(search, text, pattern, at))
    if not first then
      break
    end
    count = count + 1
    if new == nil or new == false then
      new = sub(text, first, last)
    elseif type(new) ~= 'string' and type(new) ~= 'number' then
      error('invalid replacement value (a ' .. type(new) .. ')', 2)
    end
    parts[#parts + 1] = sub(text, at, first - 1)
    parts[#parts + 1] = new
    if last < first then  -- an empty match: the character behind it stays
      parts[#parts + 1] = sub(text, first, first)
      last = first
    end
    at = last + 1
    if anchored then
      break
    end
  end
  parts[#parts + 1] = sub(text, at)
  return concat(parts), count
end
)";

// A merge sort: stable, and a comparator that contradicts itself does no harm.
constexpr std::string_view kSort = R"(
local sort, type, rawget, rawset, min = ...
return function(list, less)
  if type(list) ~= 'table' or type(less) ~= 'function' then
    return sort(list, less)
  end
  local from, to, count = {}, {}, #list
  for at = 1, count do
    from[at] = rawget(list, at)
  end
  local width = 1
  while width < count do
    for low = 1, count, 2 * width do
      local middle, high = min(low + width, count + 1), min(low + 2 * width, count + 1)
      local left, right = low, middle
      for at = low, high - 1 do
        if right >= high or left < middle and not less(from[right], from[left]) then
          to[at], left = from[left], left + 1
        else
          to[at], right = from[right], right + 1
        end
      end
    end
    from, to = to, from
    width = 2 * width
  end
  for at = 1, count do
    rawset(list, at, from[at])
  end
end
)";

// [original] -> [loaded chunk, original]
void load(lua_State* state, std::string_view text, const char* name) {
  if (luaL_loadbufferx(state, text.data(), text.size(), name, "t") != 0) lua_error(state);
  lua_insert(state, -2);
}

void push_field(lua_State* state, const char* table, const char* name) {
  lua_getglobal(state, table);
  lua_getfield(state, -1, name);
  lua_remove(state, -2);
}

}  // namespace

void push_pausing_gsub(lua_State* state) {
  load(state, kGsub, "=gsub");
  push_pattern_search(state);
  push_field(state, "string", "sub");
  push_field(state, "table", "concat");
  for (const char* name : {"type", "select", "error", "pcall"}) lua_getglobal(state, name);
  lua_call(state, 8, 1);
}

void push_pausing_sort(lua_State* state) {
  load(state, kSort, "=sort");
  for (const char* name : {"type", "rawget", "rawset"}) lua_getglobal(state, name);
  push_field(state, "math", "min");
  lua_call(state, 5, 1);
}

}  // namespace gibbous::lua
