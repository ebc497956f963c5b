-- git and other version control: which paths a sub-command touches, which machines it talks to, and
-- what it runs. rules/git.lua knows what it does to history.

-- Configuration keys whose values git runs: `git -c KEY=COMMAND`. A rule in rules/git.lua asks
-- about them as well.
local EXECUTING_KEYS = {
  'core.pager', 'core.editor', 'core.sshCommand', 'core.sshcommand', 'core.fsmonitor',
  'core.askPass', 'core.askpass', 'core.gitProxy', 'core.gitproxy', 'core.alternateRefsCommand',
  'sequence.editor', 'diff.external', 'interactive.diffFilter', 'credential.helper',
  'gpg.program', 'gpg.ssh.program', 'gpg.*.program', 'pager.*', 'uploadpack.packObjectsHook',
  'filter.*.clean', 'filter.*.smudge', 'filter.*.process', 'diff.*.textconv', 'diff.*.command',
  'merge.*.driver', 'difftool.*.cmd', 'mergetool.*.cmd', 'trailer.*.command', 'browser.*.cmd',
  'man.*.cmd', 'remote.*.uploadpack', 'remote.*.receivepack', 'submodule.*.update', 'gui.*.cmd',
  'guitool.*.cmd', 'tar.*.command', 'credential.*.helper',
}

local function key_runs(option)
  local runs = {}
  for _, key in ipairs(EXECUTING_KEYS) do
    runs[#runs + 1] = { how = 'shell', from = option, strip_prefix = key .. '=' }
  end
  runs[#runs + 1] = { how = 'shell', from = option, strip_prefix = 'alias.*=!' }
  return runs
end

local DIFF_VALUES = '-O -S -G --output --diff-filter --word-diff-regex --src-prefix --dst-prefix '
  .. '--inter-hunk-context --anchored'
local LOG_VALUES = DIFF_VALUES .. ' -n --max-count --skip --since --after --until --before '
  .. '--author --committer --grep --date --format --encoding -L'

local function looks(values)
  return { values = values, writes = '--output' }
end

local git = {
  options_first = true,
  values = '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source',
  cwd = { '-C', '--work-tree' },
  enters = '--git-dir',
  text = '-m --message --author --committer --grep --trailer --date -S -G -e --exclude',
  runs = key_runs('-c'),
  subcommands = {
    status = {},
    log = looks(LOG_VALUES),
    show = looks(LOG_VALUES),
    diff = {
      values = DIFF_VALUES,
      writes = '--output',
      accesses = { { access = 'read', of = 'operands', when = '--no-index' } },
    },
    ['diff-tree'] = looks(DIFF_VALUES),
    ['diff-index'] = looks(DIFF_VALUES),
    ['diff-files'] = looks(DIFF_VALUES),
    whatchanged = looks(LOG_VALUES),
    reflog = looks(LOG_VALUES),
    ['reflog expire'] = {}, ['reflog delete'] = {},
    shortlog = looks(LOG_VALUES),
    ['format-patch'] = {
      values = LOG_VALUES .. ' -o --output-directory --to --cc --in-reply-to --signature-file',
      writes = '-o --output-directory --output',
    },
    ['range-diff'] = {},
    blame = { values = '-L -S --contents --date' },
    annotate = {},
    describe = { values = '--match --exclude --candidates --abbrev' },
    ['rev-parse'] = {},
    ['rev-list'] = { values = LOG_VALUES },
    ['ls-files'] = { values = '-x -X', lists = 'names', filters = '-i --ignored -x -X' },
    ['ls-tree'] = {}, ['cat-file'] = {}, ['name-rev'] = {}, ['merge-base'] = {},
    ['for-each-ref'] = { values = '--format --sort --count --points-at' },
    ['show-ref'] = {}, ['count-objects'] = {},
    ['check-ignore'] = { text = 'operands' },
    ['symbolic-ref'] = { values = '-m' },
    var = {}, cherry = {}, version = {},
    grep = {
      text = 'operands -e',
      values = '-e -f -m --max-count -A -B -C --threads --max-depth',
      reads = '-f',
      runs = { { how = 'shell', from = '-O --open-files-in-pager' } },
    },
    add = { values = '--chmod --pathspec-from-file' },
    commit = {
      values = '-m --message -F --file -t --template -C --reuse-message -c --reedit-message '
        .. '--fixup --squash --author --date --cleanup --trailer --pathspec-from-file',
      reads = '-F --file -t --template',
    },
    rm = { removes = 'operands', recursive = '-r' },
    mv = { removes = 'but_last', writes = 'last' },
    restore = { values = '-s --source --conflict' },
    checkout = { values = '-b -B --orphan --conflict' },
    switch = { values = '-c -C --create --force-create --orphan --conflict' },
    branch = { values = '-u --set-upstream-to --sort --format --points-at --contains --merged' },
    tag = { values = '-m --message -F --file -u --local-user -n --sort --format --cleanup' },
    merge = {
      values = '-m -F --file -s --strategy -X --strategy-option --into-name --cleanup',
    },
    rebase = {
      values = '-x --exec --onto -s --strategy -X --strategy-option -C --whitespace',
      runs = { { how = 'shell', from = '-x --exec' } },
    },
    ['cherry-pick'] = { values = '-m --mainline -s --strategy -X --strategy-option' },
    revert = { values = '-m --mainline -s --strategy -X --strategy-option' },
    reset = { values = '--pathspec-from-file' },
    clean = { values = '-e --exclude' },
    stash = {},
    ['stash push'] = { values = '-m --message' },
    ['stash list'] = looks(LOG_VALUES),
    ['stash show'] = looks(DIFF_VALUES),
    ['stash drop'] = {}, ['stash clear'] = {},
    ['remote add'] = { values = '-t -m', hosts = 'second' },
    ['remote set-url'] = { hosts = 'second' },
    ['remote remove'] = {}, ['remote rm'] = {}, ['remote rename'] = {}, ['remote update'] = {},
    ['remote show'] = {}, ['remote set-head'] = {}, ['remote set-branches'] = {},
    fetch = {
      values = '--upload-pack --depth --deepen --shallow-since --shallow-exclude -o '
        .. '--server-option -j --jobs --filter --refmap --negotiation-tip',
      hosts = 'first',
      runs = { { how = 'shell', from = '--upload-pack' } },
    },
    pull = {
      values = '--upload-pack --depth -s --strategy -X --strategy-option -o --server-option -j '
        .. '--jobs',
      hosts = 'first',
      runs = { { how = 'shell', from = '--upload-pack' } },
    },
    clone = {
      values = '-u --upload-pack -b --branch -o --origin --depth --template -c --config '
        .. '--reference --separate-git-dir -j --jobs --filter --shallow-since --shallow-exclude',
      hosts = 'first',
      writes = { 'second', '--separate-git-dir' },
      executes = '--template',
      runs = { { how = 'shell', from = '-u --upload-pack' } },
    },
    push = {
      values = '--receive-pack --exec -o --push-option --repo',
      hosts = { 'first', '--repo' },
      runs = { { how = 'shell', from = '--receive-pack --exec' } },
    },
    ['ls-remote'] = {
      values = '--upload-pack --exec --sort -o --server-option',
      hosts = 'first',
      runs = { { how = 'shell', from = '--upload-pack --exec' } },
    },
    ['fetch-pack'] = {
      values = '--upload-pack --exec',
      hosts = 'first',
      runs = { { how = 'shell', from = '--upload-pack --exec' } },
    },
    ['send-pack'] = {
      values = '--receive-pack --exec',
      hosts = 'first',
      runs = { { how = 'shell', from = '--receive-pack --exec' } },
    },
    archive = {
      values = '-o --output --remote --exec --prefix --format --add-file',
      writes = '-o --output',
      hosts = '--remote',
      runs = { { how = 'shell', from = '--exec' } },
    },
    init = {
      values = '--template --separate-git-dir -b --initial-branch --object-format --shared',
      writes = { 'operands', '--separate-git-dir' },
      executes = '--template',
    },
    ['bundle create'] = { writes = 'first' },
    config = {
      text = 'operands',
      values = '-f --file --blob --type --default',
      writes = '-f --file',
      runs = { { how = 'shell', from = 'second', strip_prefix = '!' } },
    },
    ['bisect run'] = { options_first = true, runs = { { how = 'argv' } } },
    ['submodule foreach'] = { runs = { { how = 'joined' } } },
    ['submodule add'] = {
      values = '-b --branch --name --reference', hosts = 'first',
      writes = 'second',
    },
    ['submodule update'] = { values = '--reference --depth -j --jobs' },
    ['submodule init'] = {}, ['submodule sync'] = {}, ['submodule deinit'] = {},
    ['filter-branch'] = {
      values = '--tree-filter --index-filter --msg-filter --env-filter --commit-filter '
        .. '--parent-filter --tag-name-filter --setup --subdirectory-filter -d --original',
      runs = {
        {
          how = 'shell',
          from = '--tree-filter --index-filter --msg-filter --env-filter --commit-filter '
            .. '--parent-filter --tag-name-filter --setup',
        },
      },
    },
    ['filter-repo'] = {
      values = '--path --message-callback --blob-callback --commit-callback --filename-callback',
      runs = {
        {
          how = 'code', language = 'python',
          from = '--message-callback --blob-callback --commit-callback --filename-callback',
        },
      },
    },
    difftool = {
      values = '-x --extcmd -t --tool',
      runs = { { how = 'shell', from = '-x --extcmd' } },
    },
    ['worktree add'] = { values = '-b -B --reason', writes = 'first' },
    ['worktree remove'] = { removes = 'operands' },
    ['worktree move'] = { removes = 'first', writes = 'second' },
    ['worktree list'] = {},
    apply = {
      values = '--directory --exclude --include -p -C --whitespace', reads = 'operands',
      enters = '--directory',
    },
    am = {
      values = '--directory -p -C --exclude --include', reads = 'operands',
      enters = '--directory',
    },
    ['notes remove'] = {}, ['notes prune'] = {},
    ['update-ref'] = { values = '-m' },
    ['hash-object'] = { values = '-t --path', reads = 'operands' },
    ['read-tree'] = {},
    ['checkout-index'] = { writes = '--prefix' },
    gc = {}, prune = {}, repack = {}, replace = {}, ['lfs prune'] = {}, ['lfs migrate'] = {},
    ['lfs checkout'] = {}, ['credential'] = {}, ['send-email'] = {}, ['fast-import'] = {},
  },
}
return {
  git = git,
  hg = {
    text = '-m --message -X -I',
    values = '-R --repository --cwd --config -m --message -l --logfile -r --rev -u --user -d '
      .. '--date -e --ssh --remotecmd -X -I',
    cwd = '-R --repository --cwd',
    runs = {
      { how = 'shell', from = '-e --ssh --remotecmd' },
      { how = 'shell', from = '--config', strip_prefix = 'ui.editor=' },
      { how = 'shell', from = '--config', strip_prefix = 'ui.merge=' },
      { how = 'shell', from = '--config', strip_prefix = 'ui.ssh=' },
    },
    subcommands = {
      clone = { writes = 'second' },
      remove = { removes = 'operands' },
      rm = { removes = 'operands' },
      init = { writes = 'operands' },
    },
  },
  svn = {
    text = '-m --message',
    values = '-m --message -r --revision -F --file --diff-cmd --diff3-cmd --editor-cmd '
      .. '--config-dir --config-option --username --password --depth -x --extensions -c --change',
    runs = { { how = 'shell', from = '--diff-cmd --diff3-cmd --editor-cmd' } },
    subcommands = {
      checkout = { writes = 'second' },
      co = { writes = 'second' },
      delete = { removes = 'operands' },
      rm = { removes = 'operands' },
      export = { writes = 'second' },
    },
  },
  ['bzr cvs fossil jj p4 sl'] = { values = '-m --message', text = '-m --message' },
  gh = {
    text = '-t --title -b --body -l --label --notes -q --jq --template',
    values = '-R --repo -t --title -b --body -F --body-file -H --head -B --base --json -q --jq '
      .. '--template -L --limit -s --state -l --label -a --assignee -f --field -X --method '
      .. '--raw-field --input --hostname --ref --notes --notes-file',
    reads = '-F --body-file --input --notes-file',
    subcommands = {
      ['repo clone'] = { writes = 'second' },
      ['auth token'] = {}, ['search'] = {}, ['status'] = {},
    },
  },
  glab = {
    values = '-R --repo -t --title -d --description -m --message',
    text = '-t --title -d --description -m --message',
    subcommands = {
      ['auth token'] = {},
    },
  },
}
