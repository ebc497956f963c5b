-- luajit compile_scripts.lua ROOT OUT FILE...: writes the bytecode of each file of ROOT below OUT,
-- for cmake/GibbousBuiltIn.cmake. The name of the chunk is "@", behind which a load puts the
-- path.
-- luacheck: std luajit
local root, out = arg[1], arg[2]
for at = 3, #arg do
  local file = assert(io.open(root .. '/' .. arg[at], 'rb'))
  local chunk = assert(loadstring(file:read '*a', '@'))
  file:close()
  local made = assert(io.open(out .. '/' .. arg[at]:gsub('/', '.'), 'wb'))
  made:write(string.dump(chunk))
  made:close()
end
