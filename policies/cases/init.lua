-- The expected verdicts on command lines, which `gibbous policy test` checks. By default the home
-- is /home/user, the workspace is /workspace and the mode is auto.
return {
  require 'cases.machine',
  require 'cases.spellings',
  require 'cases.paths_second',
  require 'cases.files',
  require 'cases.credentials',
  require 'cases.processes',
  require 'cases.code',
  require 'cases.git',
  require 'cases.network',
  require 'cases.packages',
  require 'cases.system',
  require 'cases.containers',
  require 'cases.free_files',
  require 'cases.free_building',
  require 'cases.free_git',
  require 'cases.free_shell',
  require 'cases.modes',
}
