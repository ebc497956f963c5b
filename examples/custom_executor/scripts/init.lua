-- The shipped tools, and two executors of one's own.
return {
  toolsets = { require 'toolsets.bg', require 'toolsets.wait' },
  executors = { require 'nice', require 'kubectl' },
}
