-- What the policy must say of command lines, from the files in cases/: `gibbous policy test` runs
-- them. Home is /home/user and the workspace /workspace, if a case does not say otherwise; the mode
-- is auto.
return {
  require 'cases.machine',
  require 'cases.spellings',
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
