-- The toolset `lean`: two tools over the same runs as `bg`, for models that pay by the token. `run`
-- starts, `job` does the rest.
return {
  name = 'lean',
  tools = { require 'toolsets.lean.run', require 'toolsets.lean.job' },
}
