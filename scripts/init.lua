-- What ships: the toolsets of every runtime that is not given scripts of its own. Those that say
-- on_request are loaded where --toolset or the configuration names them.
return {
  toolsets = {
    require 'toolsets.bg',
    require 'toolsets.wait',
    require 'toolsets.shell',
    require 'toolsets.safe_shell',
    require 'toolsets.process',
    require 'toolsets.background',
  },
}
