-- Repositories that sandboxed runs have made (by clone, init, as submodules or dependencies).
-- Nobody has seen what is in them: their hooks and configuration, which git and other tools obey,
-- and their code. In a mode that confines what no rule knows, lib/confined.lua confines what these
-- rules ask about.
local REASON = 'A sandboxed run has made this repository, and nobody has seen its code, or the '
  .. 'hooks and configuration that are obeyed there: let a person look at it and approve this.'

-- Programs that obey what is in the directory where they run even when they only look.
local OBEYING = {
  'git', 'git-*', 'hub', 'gh', 'glab', 'tig', 'lazygit', 'gitui', 'jj', 'hg', 'svn',
  'cargo', 'rustc', 'rustup', 'rustdoc', 'go', 'gofmt', 'node', 'npm', 'npx', 'pnpm', 'yarn', 'bun',
  'deno', 'tsc', 'python', 'python3', 'pip', 'pip3', 'uv', 'poetry', 'pdm', 'ruby', 'gem', 'bundle',
  'php', 'composer', 'java', 'mvn', 'gradle', 'dotnet', 'make', 'cmake', 'ninja', 'meson', 'just',
  'task', 'bazel', 'nix', 'mise', 'asdf', 'direnv', 'docker', 'podman', 'terraform', 'tofu',
  'kubectl', 'helm', 'eslint', 'prettier', 'ruff', 'mypy', 'shellcheck', 'clang-format',
  'sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'perl', 'lua', 'luajit', 'R',
  'Rscript', 'julia', 'tclsh', 'guile', 'osascript',
}

-- These read files of other places as data, and run none of them on this machine.
local ELSEWHERE = { docker = true, podman = true, kubectl = true, helm = true }

local function obeying_here()
  local programs = {}
  for _, name in ipairs(OBEYING) do
    programs[#programs + 1] = not ELSEWHERE[name] and name or nil
  end
  return programs
end

local TEMPORARY = 'This session has a directory of this name of its own, which its sandboxed runs '
  .. 'write: what is named here may be code of theirs that nobody has seen. Use the workspace, or '
  .. 'let a person approve this.'

return {
  {
    id = 'made.obeyed',
    decision = 'ask',
    reason = REASON,
    program = OBEYING,
    access = 'read execute enter name',
    path = 'changed_by_runs',
    match = {
      'git -C made_by_a_run status', 'cd made_by_a_run && git log', 'git add made_by_a_run',
      { command = 'git diff', cwd = '/workspace/made_by_a_run/src' },
      'git --git-dir=made_by_a_run/.git status', 'GIT_DIR=made_by_a_run/.git git status',
      'cd made_by_a_run; cargo tree',
    },
    not_match = {
      'git status # made_by_a_run', 'git -C other status # made_by_a_run',
      'git commit -m "add made_by_a_run"', 'git -C vendor status',
    },
  },
  {
    id = 'made.entered',
    decision = 'ask',
    reason = REASON,
    program = 'find',
    flags = '-execdir -okdir',
    path = 'changed_by_runs',
    match = { "find made_by_a_run -execdir git status ';'" },
    not_match = { 'find made_by_a_run -name x', "find src -execdir cat {} + # made_by_a_run" },
  },
  {
    id = 'made.code',
    decision = 'ask',
    reason = REASON,
    access = 'read execute enter name',
    path = 'changed_by_runs',
    not_path = 'workspace_root holds_workspace',
    known_to_read = false,
    match = {
      './made_by_a_run/x.sh', 'make -C made_by_a_run', 'cd made_by_a_run && npm test',
      'python3 made_by_a_run/x.py', 'npm --prefix made_by_a_run test',
      'cp -r made_by_a_run other', 'frob made_by_a_run/x', '. made_by_a_run/env.sh',
    },
    not_match = {
      'cat made_by_a_run/README.md', 'cd made_by_a_run && ls', 'grep -rn x made_by_a_run',
      'rm -rf made_by_a_run', 'echo made_by_a_run', 'tar czf x.tgz . # made_by_a_run',
      'make # not made_by_a_run',
    },
  },
  {
    id = 'made.temporary',
    decision = 'ask',
    may_confine = true,
    reason = TEMPORARY,
    program = obeying_here(),
    access = 'read execute enter name',
    path = 'session_temporary',
    match = {
      'git -C /tmp/made_by_a_run status', 'cd /tmp/made_by_a_run && git log',
      'cd /tmp/made_by_a_run && python3 -m pytest', 'python3 /tmp/made_by_a_run.py',
      { command = 'git diff', cwd = '/tmp/made_by_a_run' },
    },
    not_match = {
      'git -C /tmp/other status', 'git status # made_by_a_run',
      'kubectl diff -f /tmp/made_by_a_run.yaml',
    },
  },
  {
    id = 'made.temporary_code',
    decision = 'ask',
    may_confine = true,
    reason = TEMPORARY,
    access = 'execute enter',
    path = 'session_temporary',
    known_to_read = false,
    match = { '/tmp/made_by_a_run/x.sh', 'cd /tmp/made_by_a_run && frob' },
    not_match = {
      'cat /tmp/made_by_a_run/README.md', 'cd /tmp/made_by_a_run && ls', '/tmp/other/x.sh',
      'frob x > /tmp/made_by_a_run.log',
    },
  },
}
