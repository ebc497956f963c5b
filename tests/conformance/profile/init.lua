-- The fixtures that the official conformance suite expects of a server, as ordinary scripts.
return {
  toolsets = {
    require 'changes',
    require 'content',
    require 'conversation',
    require 'documents',
    require 'tasks',
  },
}
