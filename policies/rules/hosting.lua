-- What other people see on GitHub, GitLab and the like.
local looking = require 'looking'

-- Beside what looks: these change only the workspace, where a run may write.
local LOCAL = {
  ['pr checkout'] = true, ['mr checkout'] = true, ['repo clone'] = true, co = true,
  ['run download'] = true, ['release download'] = true, ['attestation verify'] = true,
}
local GET = { GET = true, ['-XGET'] = true, ['--method=GET'] = true }

-- A request that changes nothing: gh api repos/a/b
local function is_get(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word:find('^%-[fF]') or word:find('^%-%-[rif]') or word == 'graphql' or word:find('://')
      or word:find('^%-%-host') or word:lower():find('override')
      or (word:find('^%-X') or word:find('^%-%-method')) and not GET[word]
        and not GET[command.argv[at + 1] or ''] then
      return false
    end
  end
  return looking.words(command)[1] == 'api'
end

return {
  {
    id = 'hosting.change',
    decision = 'ask',
    reason = 'Others may see this, or it changes what they have: show the person what it will '
      .. 'say, and let them approve it.',
    program = 'gh glab hub tea',
    test = function(command)
      local words = looking.words(command)
      local both = table.concat(words, ' ', 1, math.min(#words, 2))
      local is_local = (LOCAL[both] or LOCAL[words[1] or '']) and not command.argv[#command.argv]
        :find('^%-%-?f')
      return not (is_local or is_get(command) or looking.is_help(command)
        or looking.at_hosting(command))
    end,
    match = { 'gh pr create --fill', 'gh pr merge 12 --squash', 'gh repo delete x --yes' },
    not_match = { 'gh pr list', 'gh pr view 12', 'gh run watch', 'gh issue list' },
  },
}
