return { toolsets = { require 'notes' } }
