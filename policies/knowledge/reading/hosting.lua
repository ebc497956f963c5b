-- Command-line tools of code hosting services. They ask the service that they are logged in to; a
-- host that the line names is not known to read, nor is anything that opens a browser.
local function list(flags, values, more)
  local made = more or {}
  made.flags, made.values = flags, values
  return made
end
local COMMON = ' -R --repo --json -q --jq -t --template'
local SEARCH = ' -R --repo -L --limit --order --sort --owner --language --visibility --match '
  .. '--created --updated --topic --license --size --stars --forks --followers --assignee --author '
  .. '--closed --commenter --comments --involves --label --mentions --milestone --project '
  .. '--reactions --state --team-mentions --app --base --head --checks --review '
  .. '--review-requested --reviewed-by --merged-at --interactions --extension --filename '
  .. '--author-date --author-email --author-name --committer --committer-date --committer-email '
  .. '--committer-name --hash --parent --tree --good-first-issues --help-wanted-issues'

return {
  gh = {
    own_options = true,
    alone = true,
    subcommands = {
      ['pr view, issue view'] = list('-c --comments', COMMON),
      ['pr list'] = list('-d --draft', COMMON .. ' -L --limit -s --state -l --label -a --assignee '
        .. '-A --author -S --search -B --base -H --head --app'),
      ['pr diff'] = list('--name-only --patch', COMMON .. ' --color -e --exclude'),
      ['pr checks'] = list('--required --watch --fail-fast', COMMON .. ' -i --interval'),
      ['pr status, issue status'] = list('-c --conflict-status', COMMON),
      ['issue list'] = list(nil, COMMON .. ' -L --limit -s --state -l --label -a --assignee -A '
        .. '--author -S --search --app -m --milestone --mention'),
      ['run list'] = list('-a --all', COMMON .. ' -L --limit -b --branch -u --user -w --workflow '
        .. '-e --event -c --commit --created -s --status'),
      ['run view'] = list('--exit-status --log --log-failed -v --verbose', COMMON
        .. ' -j --job -a --attempt'),
      ['run watch'] = list('--exit-status --compact', ' -R --repo -i --interval'),
      ['repo view'] = list(nil, ' -b --branch --json -q --jq -t --template'),
      ['repo list'] = list('--archived --fork --no-archived --source', ' --json -q --jq -t '
        .. '--template -L --limit -l --language --topic --visibility'),
      ['release view'] = list(nil, COMMON),
      ['release list'] = list('--exclude-drafts --exclude-pre-releases', COMMON
        .. ' -L --limit -O --order'),
      ['workflow list'] = list('-a --all', COMMON .. ' -L --limit'),
      ['workflow view'] = list('-y --yaml', ' -R --repo -r --ref'),
      ['gist view'] = list('--files -r --raw', ' -f --filename'),
      ['gist list'] = list('--public --secret --include-content', ' -L --limit --filter'),
      ['auth status'] = list('-a --active'),
      ['label list'] = list(nil, COMMON .. ' -L --limit --order -S --search --sort'),
      ['search prs, search issues, search code, search repos, search commits'] = list(
        '--archived --draft --merged --include-forks --include-prs --locked --no-assignee '
        .. '--no-label --no-milestone --no-project --merge', ' --json -q --jq -t --template'
        .. SEARCH),
      status = list(nil, ' -e --exclude -o --org'),
      -- Only a GET: a field, a header or an input make it something else, or send something.
      api = {
        flags = '--paginate --slurp --include -i --silent --verbose',
        values = '-X --method -q --jq -t --template --cache -H --header',
        only = {
          ['-X --method'] = 'GET HEAD',
          ['-H --header'] = { 'Accept: *', 'Accept:*', 'X-GitHub-Api-Version: *' },
        },
        operands = 1,
        not_operand = { '*://*', 'graphql' },
      },
    },
  },
  glab = {
    own_options = true,
    alone = true,
    subcommands = {
      ['mr view, issue view'] = list('-c --comments -s --system-logs', ' -R --repo -F --output -p '
        .. '--page -P --per-page'),
      ['mr list, issue list'] = list('-A --all -c --closed -M --merged -d --draft', ' -R --repo -F '
        .. '--output -p --page -P --per-page -l --label -a --assignee --author -m --milestone '
        .. '-s --source-branch -t --target-branch --search -r --reviewer'),
    },
  },
}
