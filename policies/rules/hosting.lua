-- What other people see on GitHub, GitLab and the like.
return {
  {
    id = 'hosting.change',
    decision = 'ask',
    reason = 'Others will see this: show the person what it will say, and let them approve it.',
    program = 'gh glab',
    subcommand = {
      'pr create', 'pr merge', 'pr close', 'pr comment', 'pr edit', 'pr review', 'pr ready',
      'pr reopen', 'issue create', 'issue close', 'issue comment', 'issue edit', 'issue delete',
      'run rerun', 'run cancel', 'repo create', 'repo delete', 'repo edit', 'repo fork',
      'repo archive', 'repo rename', 'release create', 'release delete', 'release edit',
      'release upload', 'workflow run', 'workflow disable', 'workflow enable', 'secret set',
      'secret delete', 'variable set', 'gist create', 'gist delete', 'gist edit', 'auth login',
      'auth logout', 'ssh-key add', 'ssh-key delete', 'extension install', 'alias set', 'mr create',
      'mr merge',
    },
    match = {
      'gh pr create --fill', 'gh pr merge 12 --squash', 'gh repo delete x --yes',
      'gh gist create a',
    },
    not_match = { 'gh pr list', 'gh pr view 12', 'gh run watch', 'gh issue list' },
  },
  {
    id = 'hosting.interface',
    decision = 'ask',
    reason = 'This changes something on the server: let a person approve it, or use a GET request.',
    program = 'gh glab',
    subcommand = 'api',
    argument = {
      '-X', '--method*', '-X*', '-f', '-F', '--field*', '--raw-field*', '--input*', '-f*', '-F*',
      'graphql',
    },
    not_argument = { 'GET', '-XGET', '--method=GET' },
    match = { 'gh api -X DELETE repos/a/b', 'gh api repos/a/b/issues -f title=x' },
    not_match = { 'gh api repos/a/b', 'gh api -X GET repos/a/b' },
  },
}
