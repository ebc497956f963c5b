-- What other people see on GitHub, GitLab and the like.
local verbs = require 'verbs'

-- Beside what looks: these change only the workspace.
local FREE = {
  ['pr checkout'] = true, ['mr checkout'] = true, ['repo clone'] = true, ['run watch'] = true,
  ['run download'] = true, ['release download'] = true, ['gist clone'] = true, ['repo '
    .. 'sync'] = false,
  ['auth setup-git'] = true, ['pr checks'] = true, ['co'] = true, ['browse'] = true,
  ['repo set-default'] = true, ['ci view'] = true, ['ci trace'] = true, ['job artifact'] = true,
  ['api'] = true, ['completion'] = true, ['attestation verify'] = true, ['run list'] = true,
  ['label list'] = true, ['alias list'] = true, ['config get'] = true, ['extension list'] = true,
  ['mr diff'] = true, ['pr diff'] = true, ['repo view'] = true, ['cache list'] = true,
}
local function is_free(command)
  local words = verbs.operands(command, 2)
  local both = table.concat(words, ' ')
  if FREE[both] or FREE[words[1] or ''] then
    return true
  end
  -- `tea issues` lists them.
  local lists = command.program == 'tea' and #words == 1 and words[1]:find('s$') ~= nil
    and words[1] ~= 'logins'
  return #words == 0 or lists or verbs.looks(command)
end

return {
  {
    id = 'hosting.change',
    decision = 'ask',
    reason = 'Others will see this, or it changes what they have: show the person what it will '
      .. 'say, and let them approve it.',
    program = 'gh glab hub tea',
    test = function(command)
      return not is_free(command)
    end,
    match = {
      'gh pr create --fill', 'gh pr merge 12 --squash', 'gh repo delete x --yes',
      'gh gist create a', 'gh run delete 1', 'gh codespace ssh', 'gh secret set x',
    },
    not_match = {
      'gh pr list', 'gh pr view 12', 'gh run watch', 'gh issue list', 'gh pr checkout 12',
    },
  },
  {
    id = 'hosting.checkout_force',
    decision = 'ask',
    reason = 'This throws away changes of the branch that is checked out: leave out the option.',
    program = 'gh glab',
    flags = '-f --force',
    argument = { 'checkout', 'sync', 'co' },
    match = { 'gh pr checkout 12 --force' },
    not_match = { 'gh pr checkout 12' },
  },
  {
    id = 'hosting.interface',
    decision = 'ask',
    reason = 'This changes something on the server: let a person approve it, or use a GET request.',
    program = 'gh glab',
    subcommand = 'api',
    argument = {
      '-X', '--method*', '-X*', '-f', '-F', '--field*', '--raw-field*', '--input*', '-f*', '-F*',
      'graphql', '--hostname*', 're:https?://.*', 're:(?i).*method-override.*',
    },
    not_argument = { 'GET', '-XGET', '--method=GET' },
    match = { 'gh api -X DELETE repos/a/b', 'gh api repos/a/b/issues -f title=x' },
    not_match = { 'gh api repos/a/b', 'gh api -X GET repos/a/b' },
  },
  {
    id = 'hosting.reads',
    decision = 'allow',
    modes = { 'auto' },
    program = 'gh glab hub tea',
    not_argument = { '--show-token', '-t' },
    test = is_free,
    match = { 'gh pr checkout 12', 'gh run watch 1', 'gh api repos/a/b', 'gh repo clone a/b' },
    not_match = { 'gh pr create', { command = 'gh pr checkout 12', mode = 'plan' } },
  },
}
