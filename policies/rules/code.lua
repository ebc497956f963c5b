-- Code that cannot be known before it runs: it needs approval, and each reason says what to do
-- instead. downloads.lua has code that is downloaded or decoded.

-- They run the target that they are given; some only behind a word of their own.
local BEHIND = {}
for name in ([[npm pnpm yarn yarnpkg bun deno composer]]):gmatch('%S+') do
  BEHIND[name] = { run = true, ['run-script'] = true, rum = true, urn = true, task = true }
end

-- A pattern names files that are there; xargs stands for what it reads with "..." or "{}".
local function is_unknown(command, at)
  local word = at and not command.literal[at] and command.argv[at]
  return word and (word:find('[$`]') or word == '...' or word:find('{}', 1, true)) ~= nil
end

-- NAME=$VALUE is a setting.
local function has_unknown_target(command)
  if command.program:find('^python') or command.program:find('^pypy') then
    for at = 2, #command.argv do
      if command.argv[at - 1] == '-m' then
        return is_unknown(command, at)
      end
    end
    return false
  end
  local behind = BEHIND[command.program]
  if behind then
    -- A subcommand that the table of the program names is no operand.
    local first, second = command.operands[1], command.operands[2]
    if behind[command.subcommand] then
      return is_unknown(command, first)
    end
    return first ~= nil and behind[command.argv[first]] ~= nil and is_unknown(command, second)
  end
  for _, at in ipairs(command.operands) do
    if is_unknown(command, at) and not command.argv[at]:find('^[%w_.]+[:+?]?=') then
      return true
    end
  end
  return false
end
return {
  {
    id = 'code.unparsed',
    decision = 'ask',
    may_confine = true,
    reason = 'A part of this line is not understood: write it more simply, or as several commands.',
    doubt = 'unparsed',
    match = { "echo 'open" },
    not_match = { 'echo open' },
  },
  {
    id = 'code.over_limit',
    decision = 'ask',
    may_confine = true,
    reason = 'This line is very long: put it into a script file of the workspace, and run that.',
    doubt = 'over_limit',
    match = { 'f() { ' .. ('a; '):rep(900) .. '}; f; f; f; f; f' },
    not_match = { 'echo x; echo y' },
  },
  {
    id = 'code.unknown_program',
    decision = 'ask',
    may_confine = true,
    reason = 'Which program this runs is only known when it runs: write its name.',
    doubt = 'unknown_program',
    match = { '$CMD -rf x', '$(cat x) y', '"${TOOL}" --all' },
    not_match = { 'CMD=ls; $CMD', 'ls $X' },
  },
  {
    id = 'code.unknown_target',
    decision = 'ask',
    may_confine = true,
    reason = 'Which target, script or module this runs is only known when it runs: write its name.',
    program = 'npm pnpm yarn yarnpkg bun deno composer make gmake bmake remake ninja samu just '
      .. 'task go-task rake invoke inv gradle gradlew mvn mvnw ant sbt mage scons waf grunt gulp '
      .. 'nx turbo lerna tox nox python python3 python3.* pypy3',
    computed = true,
    test = has_unknown_target,
    match = { 'npm run $X', 'npm run "test:$X"', 'make "$TARGET"', 'gradle $X', 'python3 -m "$X"' },
    not_match = {
      'X=test; npm run $X', 'npm test -- "$X"', 'npm run build -- "$X"', 'make -C "$DIR" all',
      'make -j "$(nproc)"', 'make CC="$CC"', 'for t in a b; do make $t; done', 'make *.o',
      'python3 a.py "$X"', 'python3 -m pytest "$X"',
    },
  },
  {
    id = 'code.unknown_code',
    decision = 'ask',
    may_confine = true,
    reason = 'What this shell will run is only known when it runs: write the commands themselves.',
    doubt = 'unknown_code',
    match = { 'sh -c "$CODE"', 'eval "$X"' },
    not_match = { "sh -c 'ls'", 'X=ls; eval "$X"' },
  },
  {
    id = 'code.piped_code',
    decision = 'ask',
    may_confine = true,
    reason = 'A shell or interpreter would run what another command prints: write the commands '
      .. 'themselves, or let a person look at them.',
    doubt = 'piped_code',
    match = { 'cat x.sh | sh', 'make -n | bash', './generate.py | python3' },
    not_match = { 'cat x | grep y', "echo 'ls' | sh" },
  },
  {
    id = 'code.inline_code',
    decision = 'ask',
    may_confine = true,
    reason = 'This holds code that is not analysed: use commands that say what they do, or '
      .. 'let a person approve it.',
    doubt = 'inline_code',
    match = {
      "python3 -c 'import os; os.system(x)'", 'node -e "require(\'child_process\')"',
      "awk 'BEGIN { system(x) }'", "sed '1e date' x", "perl -e 'unlink $x'",
    },
    not_match = {
      "python3 -c 'print(1)'", "awk '{print $1}' x", "sed -n '1,5p' x", "perl -pe 's/a/b/' x",
      "node -p 'process.version'",
    },
  },
  {
    id = 'code.executing_variable',
    decision = 'ask',
    may_confine = true,
    reason = 'This variable makes programs run or load something: leave it out, or name the '
      .. 'program in the command.',
    doubt = 'executing_variable',
    match = {
      'LD_PRELOAD=./x.so ls', 'GIT_SSH_COMMAND=./x git fetch', "PAGER='sh -c id' man ls",
      'NODE_OPTIONS=--require=./x.js node a.js', 'PATH=/tmp/x:$PATH ls',
      'env PROMPT_COMMAND=id bash -i',
    },
    not_match = {
      'PAGER=cat git log', 'NODE_ENV=test npm test', 'CC=gcc make', 'PYTHONPATH=src pytest',
      'NODE_OPTIONS=--max-old-space-size=4096 npm run build',
    },
  },
  {
    id = 'code.exported_variable',
    decision = 'ask',
    may_confine = true,
    reason = 'This variable makes programs run or load something from now on: leave it out.',
    program = 'export declare typeset local readonly',
    argument = {
      'LD_PRELOAD=*', 'LD_AUDIT=*', 'LD_LIBRARY_PATH=/tmp*', 'DYLD_*=*', 'BASH_ENV=*', 'ENV=*',
      'GCONV_PATH=*', 'BASH_FUNC_*', 'PROMPT_COMMAND=?*', 'SHELLOPTS=*', 'BASHOPTS=*',
      'PYTHONSTARTUP=*', 'PYTHONHOME=*', 'PYTHONINSPECT=*', 'PERL5OPT=*', 'PERL5DB=*',
      'RUBYOPT=-r*', 'LUA_INIT*=*', 'GIT_CONFIG_COUNT=*', 'GIT_CONFIG_KEY*', 'GIT_EXEC_PATH=*',
      'GIT_EXTERNAL_DIFF=*', 'GIT_PROXY_COMMAND=*', 'GIT_TEMPLATE_DIR=*', 'GIT_SSH=*', 'LESSOPEN=*',
      'LESSCLOSE=*', 'MAKEFILES=*', 're:NODE_OPTIONS=.*(?:--require|--import|-r ).*',
      're:(?:PAGER|MANPAGER|GIT_PAGER|EDITOR|VISUAL|GIT_EDITOR|GIT_SSH_COMMAND|BROWSER)=.*[ ;|'
        .. '&`(/].*',
      're:PS[0124]=.*[`$]\\(.*', 'PATH=/tmp*', 'PATH=/var/tmp*', 'PATH=/dev/shm*', 'PATH=.:*',
      'JAVA_TOOL_OPTIONS=*-agent*', '_JAVA_OPTIONS=*', 'RUSTC_WRAPPER=*/*',
      'CARGO_TARGET_*_RUNNER=*',
    },
    match = { 'export LD_PRELOAD=./x.so', 'export BASH_ENV=x.sh', 'declare -x PATH=/tmp/x:$PATH' },
    not_match = {
      'export NODE_ENV=test', 'export PATH="$HOME/.cargo/bin:$PATH"', 'export PAGER=cat',
    },
  },
  {
    id = 'code.odd_assignment',
    decision = 'ask',
    reason = 'This sets a variable in a way that no shell writes: use NAME=value.',
    program = { '*=*' },
    match = { "env 'BASH_FUNC_ls%%=() { id; }' bash -c ls" },
    not_match = { 'env A=1 ls' },
  },
  {
    id = 'code.evaluated_text',
    decision = 'ask',
    may_confine = true,
    reason = 'The shell would run the substitution in this text: put the value into a variable '
      .. 'of its own.',
    doubt = 'evaluated_text',
    match = { "test -v 'a[$(id)]'", "printf -v 'a[$(id)]' x", "read 'a[$(id)]'" },
    not_match = { 'test -v a', 'printf -v a x' },
  },
  {
    id = 'code.encoding',
    decision = 'ask',
    reason = 'Characters stand here that look like others, or like nothing: write the name in '
      .. 'plain ASCII.',
    doubt = 'encoding',
    match = { 'l\204\177s' },
    not_match = { 'echo "größer"' },
  },
  {
    id = 'code.redefinition',
    decision = 'ask',
    may_confine = true,
    reason = 'This gives another meaning to the name of a known program: use a name of your own.',
    doubt = 'redefinition',
    match = { "alias git='./x'", "alias ls='rm -i'" },
    not_match = { 'build() { make; }; build', "alias ll='ls -la'" },
  },
  {
    id = 'code.option_from_temp',
    decision = 'ask',
    may_confine = true,
    reason = 'This runs or loads a file from a directory in which every user can write: copy it '
      .. 'into the workspace, and look at it first.',
    program = 'make gmake bmake cmake meson configure autogen.sh java javac kotlin scala rustc '
      .. 'cargo bazel bazelisk gulp grunt rubocop gcc g++ cc c++ clang clang++ go mvn gradle sbt '
      .. 'dotnet swift swiftc zig ghc',
    argument = {
      [[re:(?i)(?:-[dcxp]? ?)?[\w.:-]*(?:\b(?:cc|cxx|ld|ar|shell|linker|executable|run_under|]]
        .. [[bazelrc|gruntfile|gulpfile|rcfile)|compiler|launcher|javaagent|agentpath|agentlib)]]
        .. [[[=:]"?/(?:tmp|var/tmp|dev/shm)/.*]],
    },
    match = {
      'make CC=/tmp/x', 'cmake -DCMAKE_C_COMPILER=/tmp/x .', 'java -javaagent:/tmp/x.jar y',
      'rustc -C linker=/tmp/x y.rs', 'bazel --bazelrc=/tmp/x build y', './configure CC=/tmp/x',
    },
    not_match = {
      'make CC=clang', 'cmake -DCMAKE_INSTALL_PREFIX=/tmp/x .', 'make DESTDIR=/tmp/x install',
    },
  },
  {
    id = 'code.unread_file',
    decision = 'ask',
    may_confine = true,
    reason = 'This runs code from a file outside of the workspace: copy it into the workspace, '
      .. 'and look at it first.',
    doubt = 'unread_file',
    match = { 'bash /tmp/x.sh', 'source ~/x.sh', 'python3 /tmp/x.py' },
    not_match = { 'bash scripts/x.sh', 'python3 x.py', 'source .venv/bin/activate' },
  },
}
