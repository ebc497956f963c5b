-- A game whose console runs programs while it draws. Gibbous is polled once in each frame, within a
-- budget; nothing here has a thread, a callback from C, or a wait.
-- luacheck: std luajit, globals love
local Commands = require 'commands'
local Console = require 'console'
local Follow = require 'follow'
local Script = require 'script'
local night = require 'night'
local open_runtime = require 'open_runtime'
local options = require 'options'
local text = require 'text'
local timing = require 'timing'
local tools = require 'tools'

-- What Gibbous may take of a frame: bytes of output, microseconds of scripts and of everything.
local BUDGET = { bytes = 64 * 1024, lua_us = 1000, wall_us = 2000 }
local FLIES = 300
local FONT = '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf' -- of Debian and Ubuntu
local FONT_SIZE = 13
local CONSOLE_SHARE = 0.56 -- of the window's height
local TITLE_EVERY = 30 -- frames
local FRAME_COLOR = { 0.55, 0.75, 1 }
local POLL_COLOR = { 1, 0.78, 0.35 }
local OTHER_COLOR = { 0.8, 0.8, 0.85 }

-- Milliseconds of each frame: for all its work, for poll() by the clock and by the processor, and
-- for reading and showing output.
local times = { frame = timing.ring(), poll = timing.ring(), cpu = timing.ring(),
  read = timing.ring() }
local frames = 0
local rows = {} -- of text below the graph
local runtime, world, console, commands, follow, script

love.run = require 'loop'(times.frame)

-- The console wants letters of one width. Where that font is not installed, it has LÖVE's own.
local function make_font()
  local file = io.open(FONT, 'rb')
  if not file then
    return love.graphics.newFont(FONT_SIZE)
  end
  local data = love.filesystem.newFileData(file:read '*a', 'mono.ttf')
  file:close()
  return love.graphics.newFont(data, FONT_SIZE)
end

-- Forgets the times so far.
local function measure()
  for _, ring in pairs(times) do
    timing.clear(ring)
  end
end

local function summaries()
  local all = {}
  for name, ring in pairs(times) do
    all[name] = timing.summary(ring)
  end
  return all
end

-- What a player sees, as data.
local function dump()
  local lines, runs = {}, {}
  for at = console.first, console.last do
    lines[#lines + 1] = { kind = console.lines[at].kind, text = console.lines[at].text }
  end
  for at, run in ipairs(follow.runs) do
    runs[at] = { label = run.label, id = run.id, state = run.state, bytes = run.bytes,
      hidden = run.hidden }
  end
  return { frames = frames, flies = #world.flies, color = world.color, lines = lines, runs = runs,
    times = summaries(), budget = BUDGET, title = love.window.getTitle() }
end

local function show_times()
  local all = summaries()
  rows = {
    { text = timing.row('frame', all.frame), color = FRAME_COLOR },
    { text = timing.row('poll', all.poll), color = POLL_COLOR },
    { text = timing.row('poll, cpu', all.cpu), color = OTHER_COLOR },
    { text = timing.row('read+show', all.read), color = OTHER_COLOR },
  }
  love.window.setTitle(('Gibbous night: frame p50 %.1f, p99 %.1f, max %.1f ms; '
    .. 'poll p50 %.2f, p99 %.2f, max %.2f ms'):format(all.frame.p50, all.frame.p99, all.frame.max,
    all.poll.p50, all.poll.p99, all.poll.max))
end

local function on_event(event)
  if event.event == 'run_started' then
    follow:on_started(event)
  elseif event.event == 'run_ended' then
    follow:on_ended(event)
  elseif event.message then
    console:add_lines('event', text.shown_lines(event.message))
  end
end

-- Ends the game with a sentence.
local function fail(message)
  io.stderr:write(message, '\n')
  love.event.quit(2)
end

function love.load(arguments)
  love.graphics.setFont(make_font())
  love.keyboard.setKeyRepeat(true)
  local given, message = options.read(arguments)
  if given and given.script then
    script, message = Script.read(given.script)
  end
  if message then
    return fail(message)
  end
  world = night.new(love.graphics.getDimensions())
  night.spawn(world, FLIES)
  runtime, message = open_runtime(given, tools.of(world))
  if not runtime then
    return fail(message)
  end
  console = Console.new(function(line)
    commands:enter(line)
  end)
  commands = Commands.new(runtime, console)
  follow = Follow.new(runtime, console)
  runtime:on_event(on_event)
  runtime:on_ask(function(ask, answer)
    commands:on_ask(ask, answer)
  end, function(ask)
    commands:on_withdrawn(ask)
  end)
  console:add('event', 'The console of the game. Type: help')
end

function love.update(seconds)
  if not runtime then
    return
  end
  local began, began_cpu = timing.now_ms(), timing.cpu_ms()
  runtime:poll(BUDGET)
  timing.add(times.cpu, timing.cpu_ms() - began_cpu)
  local polled = timing.now_ms()
  timing.add(times.poll, polled - began)
  follow:update(seconds)
  timing.add(times.read, timing.now_ms() - polled)
  night.update(world, seconds)
  console:update(seconds)
  frames = frames + 1
  if frames % TITLE_EVERY == 0 then
    show_times()
  end
  if script then
    script:update { console = console, measure = measure, dump = dump }
  end
end

function love.draw()
  if not runtime then
    return
  end
  local width, height = love.graphics.getDimensions()
  night.draw(world, follow.runs)
  timing.draw({ { ring = times.frame, color = FRAME_COLOR },
    { ring = times.poll, color = POLL_COLOR } }, rows, 26, height - 190, 332, 100)
  console:draw(width, math.floor(height * CONSOLE_SHARE))
end

function love.keypressed(key)
  console:key(key)
end

function love.textinput(typed)
  console:type(typed)
end

-- LÖVE calls this when the window closes. Every run ends before the process does.
function love.quit()
  if runtime then
    love.window.close()
    runtime:destroy()
  end
end

local show_error = love.errorhandler

-- LÖVE calls this when the game raises an error. It is shown to a player; a game that a script
-- plays ends with the code 1.
function love.errorhandler(message)
  if runtime then
    runtime:destroy()
  end
  if not script then
    return show_error(message)
  end
  io.stderr:write(debug.traceback(message, 2), '\n')
  return function()
    return 1
  end
end
