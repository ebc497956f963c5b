-- The shipped tools, and two new executors.
return {
  toolsets = { require 'toolsets.bg', require 'toolsets.wait' },
  executors = { require 'nice', require 'kubectl' },
}
