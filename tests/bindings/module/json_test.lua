-- JSON as the module writes and reads it.
-- luacheck: std luajit
local gibbous = require 'gibbous'
local json = require 'gibbous.json'
local support = require 'support'

local test, equal, contains = support.test, support.equal, support.contains

local function encoded(value)
  return json.encode(value, 'value')
end

test('an empty table is an object, and a marked one a list', function()
  equal(encoded {}, '{}')
  equal(encoded(gibbous.list {}), '[]')
  equal(encoded { a = {}, b = gibbous.list {} }, '{"a":{},"b":[]}')
end)

test('lists, numbers, texts and null are written as JSON', function()
  equal(encoded { 1, 2.5, -0.125, 1e15, true, gibbous.null, 'x' },
    '[1,2.5,-0.125,1000000000000000,true,null,"x"]')
  equal(encoded '"\\\n\r\t\0\27', '"\\"\\\\\\n\\r\\t\\u0000\\u001b"')
  equal(json.decode(encoded { n = 0.1 }).n, 0.1)
end)

test('a list with holes is refused', function()
  local good, message = pcall(encoded, { 1, nil, 3 })
  equal(good, false)
  contains(message, 'value: expected a list without holes')
end)

test('null members are left out when a text is read', function()
  local value = json.decode '{"a":null,"b":[null,1],"c":{"d":null}}'
  equal(value.a, nil)
  equal(value.b[1], gibbous.null)
  equal(value.b[2], 1)
  equal(next(value.c), nil)
end)

test('without a JSON library, the error names the packages', function()
  local module = debug.getinfo(gibbous.new, 'S').source:match '^@(.*)/gibbous/init.lua$'
  local program = ([[LUA_PATH='%s/?.lua;%s/?/init.lua' LUA_CPATH=none luajit -e "%s"]]):format(
    module, module, "print(select(2, pcall(require, 'gibbous')))")
  contains(support.shell(program), 'install lua-cjson')
end)

support.run()
