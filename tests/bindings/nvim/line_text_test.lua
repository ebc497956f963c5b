-- What programs write for a terminal, as lines for a buffer.
-- luacheck: std luajit, globals vim
local support = dofile(debug.getinfo(1, 'S').source:match '^@(.*/)' .. 'support.lua')
local line_text = require 'gibbous_nvim.line_text'

local test, equal = support.test, support.equal

-- Feeds the parts one by one. Returns all lines, and the unfinished one.
local function lines_of(...)
  local state, lines = line_text.new(), {}
  for _, part in ipairs { ... } do
    vim.list_extend(lines, line_text.feed(state, part))
  end
  return lines, line_text.rest(state)
end

test('lines are cut at newlines, wherever the parts end', function()
  local lines, rest = lines_of('on', 'e\ntw', 'o\r', '\nthr')
  equal(lines, { 'one', 'two' })
  equal(rest, 'thr')
end)

test('colours, titles and links are left out', function()
  equal(lines_of '\27[1;31mred\27[0m \27]0;title\7x \27]8;;http://a\27\\link\27]8;;\27\\\n',
    { 'red x link' })
end)

test('a sequence that is not complete yet is not shown', function()
  local _, rest = lines_of 'a\27[3'
  equal(rest, 'a')
  equal(lines_of('a\27[3', '1mb\27[m\n'), { 'ab' })
end)

test('a progress line is shown as it was left', function()
  equal(lines_of '10%\r50%\r100%\n', { '100%' })
  equal(lines_of 'downloading\rdone\27[K\n', { 'done' })
  equal(lines_of 'abcdef\rXY\n', { 'XYcdef' })
  equal(lines_of 'old text\27[2K\rnew\n', { 'new' })
  equal(lines_of 'typo\b\b\b\bgood\n', { 'good' })
  equal(lines_of '\226\130\172\226\130\172\rx\n', { 'x\226\130\172' })
end)

test('a progress line that never ends stays short', function()
  local state = line_text.new()
  for step = 1, 5000 do
    line_text.feed(state, ('\rstep %d of many'):format(step))
  end
  equal(line_text.rest(state), 'step 5000 of many')
  assert(#state.raw < 20000)
end)

test('a line that is too long is broken', function()
  local lines, rest = lines_of(('x'):rep(100000))
  assert(#lines > 1)
  equal(#table.concat(lines) + #(rest or ''), 100000)
end)

test('any bytes are taken', function()
  local bytes = {}
  for byte = 0, 255 do
    bytes[#bytes + 1] = string.char(byte)
  end
  lines_of(table.concat(bytes), '\n')
end)

support.run()
