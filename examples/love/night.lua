-- The game itself: a gibbous moon, and fireflies that drift through the night. It knows nothing of
-- Gibbous; tools.lua changes it, and each run is a small satellite of the moon.
-- luacheck: std luajit, globals love

local M = {}

M.MOST = 2000 -- fireflies
M.COLORS = {
  amber = { 1.00, 0.78, 0.35 }, blue = { 0.45, 0.70, 1.00 }, green = { 0.55, 1.00, 0.55 },
  pink = { 1.00, 0.55, 0.80 }, white = { 0.95, 0.95, 1.00 },
}

local STARS = 160
local GLOW = 24 -- pixels, across
local SPEED = 26 -- pixels a second
local HILLS = {
  { 0.045, 0.065, 0.13, height = 72, wave = 0.0042, seed = 3 },
  { 0.02, 0.03, 0.065, height = 44, wave = 0.0075, seed = 9 },
}
local MOON = { x = 700, y = 424, radius = 52 }
local ORBIT = { width = 150, height = 72, seconds = 9 }
local STATE_COLORS = {
  running = { 0.55, 1, 0.65 }, completed = { 0.6, 0.75, 1 }, other = { 1, 0.45, 0.4 },
}

-- A round, soft light; everything that glows is this image in another colour and size.
local function make_glow()
  local data = love.image.newImageData(GLOW, GLOW)
  data:mapPixel(function(x, y)
    local middle = (GLOW - 1) / 2
    local far = math.min(1, math.sqrt((x - middle) ^ 2 + (y - middle) ^ 2) / (GLOW / 2))
    return 1, 1, 1, (1 - far) ^ 2
  end)
  return love.graphics.newImage(data)
end

local function make_sky(width, height)
  return love.graphics.newMesh({
    { 0, 0, 0, 0, 0.02, 0.03, 0.09, 1 }, { width, 0, 0, 0, 0.02, 0.03, 0.09, 1 },
    { width, height, 0, 0, 0.13, 0.11, 0.25, 1 }, { 0, height, 0, 0, 0.13, 0.11, 0.25, 1 },
  }, 'fan', 'static')
end

-- A hill as triangles, from its outline down to the lower edge.
local function make_hill(hill, width, height)
  local vertices = {}
  for x = 0, width + 12, 12 do
    local top = height - hill.height * (0.35 + love.math.noise(x * hill.wave, hill.seed))
    for _, y in ipairs { top, height } do
      vertices[#vertices + 1] = { x, y, 0, 0, hill[1], hill[2], hill[3], 1 }
    end
  end
  return love.graphics.newMesh(vertices, 'strip', 'static')
end

--- Makes the world for a window of this size.
---@param width integer
---@param height integer
---@return table night
function M.new(width, height)
  local night = {
    width = width, height = height, time = 0, color = 'amber', flies = {}, stars = {},
    glow = make_glow(), sky = make_sky(width, height), hills = {},
  }
  night.batch = love.graphics.newSpriteBatch(night.glow, M.MOST, 'stream')
  for at = 1, STARS do
    night.stars[at] = { love.math.random(width), love.math.random(height) }
  end
  for at, hill in ipairs(HILLS) do
    night.hills[at] = make_hill(hill, width, height)
  end
  return night
end

--- Adds fireflies; the caller keeps their number within MOST.
---@param night table
---@param count integer
function M.spawn(night, count)
  for _ = 1, count do
    night.flies[#night.flies + 1] = {
      x = love.math.random() * night.width, y = love.math.random() * night.height,
      phase = love.math.random() * 10, size = 0.3 + 0.5 * love.math.random(),
    }
  end
end

--- Moves everything.
---@param night table
---@param seconds number since the last frame
function M.update(night, seconds)
  night.time = night.time + seconds
  local time = night.time * 0.1
  for _, fly in ipairs(night.flies) do
    local angle = 4 * math.pi * love.math.noise(fly.x * 0.004, fly.y * 0.004, time)
    fly.x = (fly.x + math.cos(angle) * SPEED * seconds) % night.width
    fly.y = (fly.y + math.sin(angle) * SPEED * seconds) % night.height
  end
end

local function draw_flies(night)
  local color = M.COLORS[night.color]
  night.batch:clear()
  for _, fly in ipairs(night.flies) do
    local light = 0.35 + 0.65 * math.abs(math.sin(night.time * 0.9 + fly.phase))
    night.batch:setColor(color[1], color[2], color[3], light)
    night.batch:add(fly.x, fly.y, 0, fly.size, fly.size, GLOW / 2, GLOW / 2)
  end
  love.graphics.setColor(1, 1, 1)
  love.graphics.draw(night.batch)
end

-- Three quarters full: a bright disc with an ellipse for where the light ends.
local function draw_moon(night)
  local graphics = love.graphics
  local x, y, radius = MOON.x, MOON.y, MOON.radius
  graphics.setColor(0.9, 0.88, 0.75, 0.25)
  graphics.draw(night.glow, x, y, 0, radius / 5, radius / 5, GLOW / 2, GLOW / 2)
  graphics.setColor(0.17, 0.16, 0.25)
  graphics.circle('fill', x, y, radius, 48)
  graphics.setColor(0.96, 0.94, 0.84)
  graphics.arc('fill', 'pie', x, y, radius, -math.pi / 2, math.pi / 2, 32)
  graphics.ellipse('fill', x, y, radius * 0.5, radius, 48)
  graphics.setColor(0.87, 0.85, 0.75)
  graphics.circle('fill', x + 20, y - 18, 9, 20)
  graphics.circle('fill', x + 6, y + 16, 12, 20)
  graphics.circle('fill', x + 30, y + 14, 5, 16)
end

local function draw_satellites(night, runs)
  local graphics = love.graphics
  for at, each in ipairs(runs) do
    local angle = 2 * math.pi * (night.time / ORBIT.seconds + at / #runs)
    local x = MOON.x + ORBIT.width * math.cos(angle)
    local y = MOON.y + ORBIT.height * math.sin(angle)
    local color = STATE_COLORS[each.state] or STATE_COLORS.other
    graphics.setColor(color[1], color[2], color[3], 0.5 + 0.5 * each.glow)
    local scale = 0.8 + each.glow
    graphics.draw(night.glow, x, y, 0, scale, scale, GLOW / 2, GLOW / 2)
    graphics.circle('fill', x, y, 3, 12)
    graphics.print(each.label, x + 8, y - 8)
  end
end

--- Draws the world.
---@param night table
---@param runs { label: string, state: string, glow: number }[] the satellites; glow is 0 to 1
function M.draw(night, runs)
  local graphics = love.graphics
  graphics.setColor(1, 1, 1)
  graphics.draw(night.sky)
  graphics.setColor(1, 1, 1, 0.55)
  graphics.points(night.stars)
  draw_moon(night)
  draw_satellites(night, runs)
  graphics.setColor(1, 1, 1)
  for _, hill in ipairs(night.hills) do
    graphics.draw(hill)
  end
  draw_flies(night)
end

return M
