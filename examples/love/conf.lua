-- The window, and the parts of LÖVE that the game uses. LÖVE calls this before main.lua.
-- luacheck: std luajit, globals love

function love.conf(t)
  t.identity = 'gibbous_example'
  t.version = '11.4'
  t.window.title = 'Gibbous night'
  t.window.width = 960
  t.window.height = 600
  t.window.vsync = 0 -- loop.lua keeps to 60 frames a second, also where there is no display
  t.modules.audio = false
  t.modules.joystick = false
  t.modules.physics = false
  t.modules.sound = false
  t.modules.touch = false
  t.modules.video = false
end
