-- What ships: the toolsets of every runtime that is not given scripts of its own.
return {
  toolsets = {
    require 'toolsets.bg',
    require 'toolsets.wait',
    require 'toolsets.shell',
  },
}
