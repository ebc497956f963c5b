-- The shipped permission modes, by name.
return {
  default = require 'modes.default',
  auto = require 'modes.auto',
  plan = require 'modes.plan',
  dangerous = require 'modes.dangerous',
  ci = require 'modes.ci',
}
