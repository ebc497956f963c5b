-- git: what only looks. What starts a program (-O of grep, --ext-diff, --textconv, a helper of -c)
-- or writes (--output) is missing.
local LIMITS = ' --all --branches --tags --remotes --not --stdin --reflog --alternate-refs '
  .. '--single-worktree --ignore-missing --bisect --cherry-mark --cherry-pick --left-only '
  .. '--right-only --cherry -g --walk-reflogs --merge --boundary --simplify-by-decoration '
  .. '--show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path --date-order '
  .. '--author-date-order --topo-order --reverse --do-walk --no-walk --all-match --invert-grep -i '
  .. '--regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp '
  .. '--remove-empty --merges --no-merges --first-parent --exclude-first-parent-only '
  .. '--no-min-parents --no-max-parents --children --parents --left-right --graph --no-graph '
  .. '--show-linear-break --exclude-promisor-objects --objects --no-expand-tabs --expand-tabs'
local LIMIT_VALUES = ' --max-count --skip --since --after --since-as-filter --until --before '
  .. '--author --committer --grep-reflog --grep --min-parents --max-parents --glob --exclude '
  .. '--exclude-hidden --date --encoding'
-- --format and --pretty take a value only behind =.
local FORMATS = ' --pretty --format --oneline --abbrev-commit --no-abbrev-commit --abbrev '
  .. '--no-abbrev --relative-date --notes --show-notes --no-notes --standard-notes '
  .. '--no-standard-notes --show-signature --source --use-mailmap --mailmap --no-mailmap '
  .. '--decorate --no-decorate --clear-decorations --log-size --full-diff --follow'
local FORMAT_VALUES = ' --decorate-refs --decorate-refs-exclude -L'
local DIFFS = ' -p -u --patch -s --no-patch --raw --patch-with-raw -t --indent-heuristic '
  .. '--no-indent-heuristic --minimal --patience --histogram --compact-summary --numstat '
  .. '--shortstat --cumulative --summary --patch-with-stat --stat --dirstat --dirstat-by-file -z '
  .. '--name-only --name-status --submodule --color --no-color --color-moved --no-color-moved '
  .. '--no-color-moved-ws --word-diff --color-words --no-renames --rename-empty --no-rename-empty '
  .. '--check --full-index --binary --break-rewrites --find-renames --find-copies '
  .. '--find-copies-harder -D --irreversible-delete --pickaxe-all --pickaxe-regex -R --relative '
  .. '--no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w '
  .. '--ignore-all-space --ignore-blank-lines -W --function-context --exit-code --quiet '
  .. '--no-ext-diff --no-textconv --ignore-submodules --no-prefix --default-prefix '
  .. '--ita-invisible-in-index -c --cc --combined-all-paths -m -r --root --diff-merges '
  .. '--no-diff-merges --dd --remerge-diff --merge-base --always --unified'
local DIFF_VALUES = ' --output-indicator-new --output-indicator-old --output-indicator-context '
  .. '--anchored --diff-algorithm --color-moved-ws --word-diff-regex --ws-error-highlight -l '
  .. '--diff-filter -S -G --find-object --skip-to --rotate-to -I --ignore-matching-lines '
  .. '--inter-hunk-context --src-prefix --dst-prefix --line-prefix'
-- -O is a file with an order.
local DIFF_ATTACHED = ' -U -B -M -C -X -O'

local DIFF = {
  digits = true,
  flags = DIFFS .. ' --cached --staged --no-index --base --ours --theirs --abbrev '
    .. '--no-abbrev',
  values = DIFF_VALUES,
  attached = DIFF_ATTACHED,
}
local LOG = {
  digits = true,
  flags = DIFFS .. LIMITS .. FORMATS,
  values = DIFF_VALUES .. LIMIT_VALUES .. FORMAT_VALUES .. ' -n',
  attached = DIFF_ATTACHED,
}
local REFLOG = {
  digits = true, flags = LOG.flags, values = LOG.values, attached = LOG.attached,
  not_operand = 'expire delete drop write exists',
}
local PLUMBING_DIFF = {
  digits = true,
  flags = DIFFS .. ' --stdin -v --cached --no-commit-id --pretty --format --oneline --abbrev '
    .. '--no-abbrev --abbrev-commit --no-abbrev-commit --show-signature --no-notes --notes',
  values = DIFF_VALUES .. ' --encoding',
  attached = DIFF_ATTACHED,
}

local REFS = ' --contains --no-contains --merged --no-merged --color --no-color --column '
  .. '--no-column -i --ignore-case --omit-empty'

local BLAME = {
  flags = '-b --root --show-stats -l -t -p --porcelain --line-porcelain --incremental '
    .. '--color-lines --color-by-age -h -c --score-debug -f --show-name -n --show-number -s -e '
    .. '--show-email -w --first-parent --progress --no-progress --abbrev --minimal',
  attached = '-M -C',
  values = '-L -S --reverse --encoding --contents --date --ignore-rev --ignore-revs-file --since',
}

return {
  git = {
    own_options = true,
    flags = '-v -h --no-pager -P --no-replace-objects --no-lazy-fetch --literal-pathspecs '
      .. '--glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks '
      .. '--html-path --man-path --info-path',
    -- Another directory of git (--git-dir) may be one whose configuration names programs.
    values = '-C -c',
    only = {
      -- Nothing behind these names is run.
      ['-c'] = {
        'color.*', 'core.quotepath=*', 'core.quotePath=*', 'core.abbrev=*', 'core.pager=cat',
        'core.pager=', 'core.autocrlf=*', 'core.filemode=*', 'core.fileMode=*', 'log.*',
        'diff.renames=*', 'diff.renameLimit=*', 'diff.noprefix=*', 'diff.mnemonicPrefix=*',
        'diff.algorithm=*', 'diff.context=*', 'blame.*', 'column.*', 'status.*', 'i18n.*',
        'advice.*', 'pager.*=false', 'format.pretty=*', 'grep.lineNumber=*',
      },
    },
    alone = true,
    subcommands = {
      status = {
        flags = '-s --short -b --branch --show-stash --long -v -vv --verbose -z --ahead-behind '
          .. '--no-ahead-behind --renames --no-renames --porcelain --untracked-files '
          .. '--ignore-submodules --ignored --column --no-column --find-renames '
          .. '--no-show-stash',
        attached = '-u',
      },
      ['log, show, whatchanged, stash list, stash show'] = LOG,
      ['reflog, reflog show, reflog list'] = REFLOG,
      diff = DIFF,
      ['diff-tree, diff-index, diff-files'] = PLUMBING_DIFF,
      shortlog = {
        digits = true,
        flags = LIMITS .. FORMATS .. ' -s --summary --numbered -e --email -c',
        values = LIMIT_VALUES .. ' --group',
        attached = '-w -n',
      },
      ['range-diff'] = {
        digits = true,
        flags = DIFFS .. ' --no-dual-color --left-only --right-only --no-notes --notes',
        values = DIFF_VALUES .. ' --creation-factor',
        attached = DIFF_ATTACHED,
      },
      ['blame, annotate'] = BLAME,
      describe = {
        flags = '--all --tags --contains --exact-match --debug --long --always --first-parent '
          .. '--dirty --broken',
        values = '--abbrev --candidates --match --exclude',
      },
      ['rev-parse'] = {
        flags = '--parseopt --sq-quote --keep-dashdash --stop-at-non-option --stuck-long '
          .. '--revs-only --no-revs --flags --no-flags --verify -q --quiet --sq --not --symbolic '
          .. '--symbolic-full-name --all --local-env-vars --path-format --git-dir --git-common-dir '
          .. '--show-toplevel --show-superproject-working-tree --shared-index-path '
          .. '--absolute-git-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository '
          .. '--is-shallow-repository --show-cdup --show-prefix --short --abbrev-ref --branches '
          .. '--tags --remotes --show-object-format --show-ref-format --since --after --until '
          .. '--before --glob --exclude --exclude-hidden --disambiguate',
        values = '--default --prefix --resolve-git-dir --git-path',
      },
      ['rev-list'] = {
        digits = true,
        flags = LIMITS .. FORMATS .. ' --quiet --disk-usage --use-bitmap-index --bisect-vars '
          .. '--bisect-all --in-commit-order --objects-edge --objects-edge-aggressive '
          .. '--indexed-objects --unpacked --object-names --no-object-names --no-filter '
          .. '--filter-provided-objects --filter-print-omitted --header --no-commit-header '
          .. '--commit-header --timestamp --count --filter --missing --progress --max-age '
          .. '--min-age -z',
        values = LIMIT_VALUES .. ' -n',
      },
      ['ls-files'] = {
        flags = '-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage '
          .. '--directory --no-empty-directory -u --unmerged -k --killed --resolve-undo -z '
          .. '--deduplicate --exclude-standard --error-unmatch -t -v -f --full-name '
          .. '--recurse-submodules --debug --eol --sparse --abbrev',
        values = '-x --exclude -X --exclude-from --exclude-per-directory --with-tree --format',
      },
      ['ls-tree'] = {
        flags = '-d -r -t -l --long -z --name-only --name-status --object-only --full-name '
          .. '--full-tree --abbrev',
        values = '--format',
      },
      ['cat-file'] = {
        flags = '-t -s -e -p --batch --batch-check --batch-command --batch-all-objects --buffer '
          .. '--unordered --allow-unknown-type --follow-symlinks -z -Z --use-mailmap --mailmap '
          .. '--no-use-mailmap --no-mailmap',
      },
      ['name-rev'] = {
        flags = '--tags --all --annotate-stdin --stdin --name-only --no-undefined --always',
        values = '--refs --exclude',
      },
      ['merge-base'] = '--octopus --independent --is-ancestor --fork-point -a --all',
      ['for-each-ref'] = {
        flags = '--shell --perl --python --tcl --merged --no-merged --contains --no-contains '
          .. '--color --ignore-case --omit-empty --stdin --include-root-refs',
        values = '--count --sort --format --points-at --exclude',
      },
      ['show-ref'] = '--head --heads --branches --tags -d --dereference --verify -q --quiet -s '
        .. '--hash --abbrev --exclude-existing --exists',
      ['show-branch'] = {
        flags = '-r --remotes -a --all --current --topo-order --date-order --sparse --list '
          .. '--merge-base --independent --no-name --sha1-name --topics --color --no-color --more '
          .. '--reflog',
        attached = '-g',
      },
      ['count-objects'] = '-v --verbose -H --human-readable',
      ['check-ignore'] = '-q --quiet -v --verbose --stdin -z -n --non-matching --no-index',
      ['check-attr'] = { flags = '-a --all --cached --stdin -z', values = '--source' },
      ['check-ref-format'] = '--branch --normalize --allow-onelevel --no-allow-onelevel '
        .. '--refspec-pattern --print',
      var = '-l',
      cherry = '-v --abbrev',
      fsck = '--unreachable --root --tags --cache --no-reflogs --full --no-full '
        .. '--connectivity-only --strict --verbose --name-objects --progress --no-progress '
        .. '--dangling --no-dangling',
      -- gpg reads the keys of its own directory.
      ['verify-commit, verify-tag'] = '-v --verbose --raw',
      ['verify-pack'] = '-v --verbose -s --stat-only',
      version = '--build-options',
      help = '-a --all -g --guides -c --config --no-external-commands --no-aliases --verbose -m '
        .. '--man',
      grep = {
        digits = true,
        flags = '--cached --no-index --untracked --no-exclude-standard --exclude-standard '
          .. '--recurse-submodules -a --text --no-textconv -i --ignore-case -I -r --recursive '
          .. '--no-recursive -w --word-regexp -v --invert-match -h -H --full-name -E '
          .. '--extended-regexp -G --basic-regexp -P --perl-regexp -F --fixed-strings -n '
          .. '--line-number --column -l --files-with-matches --name-only -L --files-without-match '
          .. '-z --null -o --only-matching -c --count --color --no-color --break --heading -p '
          .. '--show-function -W --function-context --and --or --not --all-match -q --quiet',
        values = '--max-depth -A --after-context -B --before-context -C --context -m --max-count '
          .. '--threads -f -e',
      },
      ['worktree list'] = '-v --verbose --porcelain -z',
      ['submodule status, submodule summary'] = {
        flags = '-q --quiet --cached --recursive --files', values = '-n --summary-limit',
      },
      ['bisect log'] = {},
      ['notes show, notes list'] = {},
      -- Without -n it asks the remote machine.
      ['remote show'] = { flags = '-n', needs_for_operands = '-n' },
      ['remote get-url'] = '--push --all',
      remote = { flags = '-v --verbose', operands = 0 },
      -- With an operand they create, unless they list.
      branch = {
        flags = '-a --all -r --remotes -l --list -v -vv --verbose --show-current --abbrev '
          .. '--no-abbrev' .. REFS,
        values = '--sort --format --points-at',
        needs_for_operands = '-l --list --contains --no-contains --merged --no-merged',
      },
      tag = {
        flags = '-l --list' .. REFS,
        values = '--sort --points-at --format',
        attached = '-n',
        needs_for_operands = '-l --list --contains --no-contains --merged --no-merged',
      },
      config = {
        flags = '--get --get-all --get-regexp --get-urlmatch -l --list --global --system --local '
          .. '--worktree --bool --int --bool-or-int --path --expiry-date --no-type -z --null '
          .. '--name-only --show-origin --show-scope --includes --no-includes --fixed-value '
          .. '--get-color --get-colorbool',
        values = '--type --default -f --file --blob',
        needs = '--get --get-all --get-regexp --get-urlmatch -l --list --get-color --get-colorbool',
      },
      ['config list, config get'] = {
        flags = '--global --system --local --worktree --bool --int --bool-or-int --path '
          .. '--expiry-date --no-type -z --null --name-only --show-origin --show-scope --includes '
          .. '--no-includes --all --regexp --show-names --no-show-names',
        values = '--type --default -f --file --blob --value --url',
      },
      submodule = { operands = 0, flags = '-q --quiet' },
    },
  },
}
