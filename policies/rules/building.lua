-- Building, testing and committing in the workspace: allowed in modes without a person to ask. Mode
-- auto allows it anyway; mode ci denies everything that no rule allows. Rules that ask or deny
-- (writing outside the workspace, publishing, pushing) count before these.
local MODES = { 'auto', 'ci' }

-- What may stand in a command that changes files in place. Its code and its paths are judged, too.
local EDITS = {
  sed = {
    '^%-[nErszu]*$', '^%-[nErszu]*i[%w._~-]*$', '^%-[nErszu]*e', '^%-%-in%-place', '^%-%-quiet$',
    '^%-%-expression', '^%-%-regexp%-extended$', '^%-%-silent$', '^%-%-posix$',
    '^%-%-null%-data$', '^%-%-separate$',
  },
  sort = {
    '^%-[bdfghiMnRrVcCmsuz]*$', '^%-[bdfghiMnRrVcCmsuz]*o', '^%-[bdfghiMnRrVcCmsuz]*[kt]',
    '^%-%-output', '^%-%-unique$', '^%-%-key', '^%-%-reverse$', '^%-%-numeric%-sort$',
    '^%-%-version%-sort$', '^%-%-stable$', '^%-%-field%-separator',
  },
  yq = {
    '^%-[ieMNPCo]+$', '^%-%-inplace$', '^%-%-in%-place$', '^%-o=?%w*$', '^%-p=?%w*$', '^%-I',
    '^%-%-indent', '^%-y$', '^%-Y$', '^%-r$',
  },
  shuf = { '^%-o', '^%-n', '^%-i', '^%-e$', '^%-%-output', '^%-%-head%-count' },
  iconv = { '^%-[fto]', '^%-c$', '^%-%-output', '^%-%-from%-code', '^%-%-to%-code' },
  awk = { '^%-F', '^%-v', '^%-i$' },
}
EDITS.gsed, EDITS.gawk = EDITS.sed, EDITS.awk

local function edits(command)
  local patterns = EDITS[command.program]
  for at = 2, #command.argv do
    if not command.literal[at] and command.argv[at]:find('^[$`]') then
      return false -- it may become any option
    end
  end
  for _, index in ipairs(command.options) do
    local known = false
    for _, pattern in ipairs(patterns) do
      known = known or command.argv[index]:find(pattern) ~= nil
    end
    if not known then
      return false
    end
  end
  if command.program:find('awk') then -- only gawk -i inplace
    local inplace = false
    for at = 2, #command.argv do
      inplace = inplace or command.argv[at - 1] == '-i' and command.argv[at] == 'inplace'
      if command.argv[at - 1] == '-i' and command.argv[at] ~= 'inplace' then
        return false
      end
    end
    return inplace
  end
  return #command.options > 0
end

-- Programs that run the code of the workspace that they are given.
local RUNNERS = {}
for name in ([[elixir iex ocaml groovy kotlin kotlinc scala racket guile
  runghc runhaskell clojure bb tclsh crystal nim raku gnuplot fish sbcl swipl octave tsx ts-node
  esno swc-node make gmake nu expect julia R r deno bun dart swift zig mix stack mill raku]])
  :gmatch('%S+') do
  RUNNERS[name] = true
end

return {
  {
    id = 'building.tools',
    decision = 'allow',
    modes = MODES,
    program = {
      'make', 'gmake', 'bmake', 'cmake', 'ctest', 'cpack', 'ninja', 'samu', 'meson', 'bazel',
      'bazelisk', 'autoreconf', 'autoconf', 'automake', 'aclocal', 'libtoolize', 'gcc', 'g++', 'cc',
      'c++', 'clang', 'clang++', 'gcc-*', 'g++-*', 'clang-*', 'clang++-*', 'ld', 'as', 'ar',
      'ranlib', 'strip', 'objcopy', 'rustc', 'rustdoc', 'rustfmt', 'cargo', 'go', 'gofmt',
      'goimports', 'golangci-lint', 'staticcheck', 'gotestsum', 'javac', 'java', 'jar', 'mvn',
      'mvnw', 'gradle', 'gradlew', 'ant', 'sbt', 'dotnet', 'swift', 'swiftc', 'xcodebuild',
      'flutter', 'dart', 'mix', 'rebar3', 'stack', 'cabal', 'zig', 'dune', 'just', 'task', 'rake',
      'nox', 'tox', 'invoke', 'scons', 'waf', 'protoc', 'buf', 'ccache', 'sccache',
    },
    match = {
      'make -j8', 'cargo test', 'go build ./...', { command = 'cmake --build build', mode = 'ci' },
    },
    not_match = { { command = 'make', mode = 'default' }, 'rm x' },
  },
  {
    id = 'building.packages',
    decision = 'allow',
    modes = MODES,
    program = {
      'npm', 'pnpm', 'yarn', 'bun', 'deno', 'corepack', 'pip', 'pip3',
      'pip3.*', 'uv', 'poetry', 'pdm', 'hatch', 'pipenv', 'bundle', 'bundler', 'gem',
      'composer', 'virtualenv',
    },
    match = {
      'npm ci', 'npm test', 'pip install -r requirements.txt',
      { command = 'yarn build', mode = 'ci' },
    },
    not_match = { { command = 'npm test', mode = 'plan' }, 'cargo test' },
  },
  {
    id = 'building.interpreters',
    decision = 'allow',
    modes = MODES,
    program = {
      'python', 'python3', 'python3.*', 'pypy3', 'node', 'nodejs', 'ts-node', 'tsx', 'ruby',
      'ruby3*', 'perl', 'php', 'php8*', 'lua', 'luajit', 'lua5.*', 'Rscript', 'julia', 'sh', 'bash',
      'dash', 'zsh', 'source', '.',
    },
    match = { 'python3 -m pytest', 'node build.js', 'bash scripts/test.sh', { command = 'node '
      .. 'a.js', mode = 'ci' } },
    not_match = { { command = 'node a.js', mode = 'default' } },
  },
  {
    id = 'building.checks',
    decision = 'allow',
    modes = MODES,
    program = 'pytest py.test coverage mypy pyright pylint flake8 pyflakes bandit ruff black '
      .. 'isort autopep8 yapf eslint biome oxlint stylelint prettier dprint tsc vue-tsc jest '
      .. 'vitest mocha ava tap cypress playwright karma jasmine nyc c8 webpack rollup vite '
      .. 'esbuild parcel swc babel tsup turbo nx lerna gulp grunt next nuxt astro svelte-kit ng '
      .. 'vue react-scripts rspack sass postcss tailwindcss shellcheck shfmt hadolint yamllint '
      .. 'markdownlint markdownlint-cli2 actionlint luacheck stylua selene cppcheck cpplint '
      .. 'clang-format clang-tidy run-clang-tidy rubocop rspec rails phpunit phpstan psalm '
      .. 'semgrep pre-commit lint-staged commitlint knip depcheck madge cspell codespell typos '
      .. 'vale ktlint swiftformat taplo gersemi cmake-format buildifier djlint mkdocs '
      .. 'sphinx-build hugo jekyll doxygen gcov lcov gcovr hyperfine perf gdb lldb '
      .. 'prove pydocstyle vulture pytype pyre radon xenon interrogate deptry pip-audit '
      .. 'govulncheck errcheck revive nilaway license-checker',
    match = {
      'pytest -q', 'npx tsc --noEmit', 'eslint . --fix', { command = 'vitest run', mode = 'ci' },
    },
    not_match = { { command = 'pytest', mode = 'plan' } },
  },
  {
    id = 'building.git',
    decision = 'allow',
    modes = MODES,
    program = 'git',
    subcommand = {
      'add', 'stage', 'commit', 'rm', 'mv', 'restore', 'checkout', 'switch', 'branch', 'tag',
      'merge', 'rebase', 'cherry-pick', 'revert', 'reset', 'stash', 'stash push', 'stash pop',
      'stash apply', 'stash save', 'stash branch', 'fetch', 'pull', 'clone', 'init', 'config',
      'apply', 'am', 'format-patch', 'archive', 'bisect', 'bisect start', 'bisect good',
      'bisect bad', 'bisect reset', 'bisect skip', 'submodule', 'submodule init',
      'submodule update', 'submodule add', 'submodule sync', 'worktree add', 'worktree prune',
      'worktree remove', 'notes add', 'gc', 'remote update', 'remote prune', 'lfs',
      'sparse-checkout', 'ls-remote', 'maintenance', 'update-index', 'hash-object', 'clean',
      'difftool', 'mergetool', 'rerere', 'pack-refs', 'write-tree', 'read-tree', 'commit-tree',
      'checkout-index', 'bundle', 'bundle create', 'symbolic-ref', 'stripspace',
      'interpret-trailers', 'remote',
    },
    match = { 'git add -A && git commit -m x', 'git checkout -b feature', 'git pull --rebase' },
    not_match = { 'git push', { command = 'git commit -m x', mode = 'plan' } },
  },
  {
    id = 'building.files',
    decision = 'allow',
    modes = MODES,
    program = 'mkdir cp mv rm rmdir unlink touch ln install tee truncate split csplit patch '
      .. 'chmod mktemp rename dos2unix unix2dos dd rsync tar gtar bsdtar zip '
      .. 'unzip gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd 7z sponge find true false : sleep '
      .. 'ed ex openssl',
    match = { 'mkdir -p build', 'rm -rf dist', 'cp a b', 'tar xzf x.tgz', 'find . -delete' },
    not_match = { { command = 'rm -rf dist', mode = 'plan' } },
  },
  {
    -- What a variable may not say is a doubt, which asks.
    id = 'building.variables',
    decision = 'allow',
    modes = { 'auto' },
    program = 'export declare typeset local readonly printf',
    match = { 'export NODE_ENV=production', "printf -v out '%03d' 7" },
    not_match = { 'unset x', { command = 'export NODE_ENV=x', mode = 'plan' } },
  },
  {
    -- Programs that read, into files: their options are those of knowledge/reading.
    id = 'building.outputs',
    decision = 'allow',
    modes = MODES,
    program = 'sed sort uniq shuf jq gojq yq cat head tail echo printf grep egrep fgrep rg awk '
      .. 'gawk mawk cut tr base64 xxd diff ls env wc comm paste iconv envsubst column nl tac date',
    known_to_read = true,
    match = { 'sort a > b', { command = 'echo x > y', mode = 'ci' }, "awk '{print $1}' a > b" },
    not_match = { 'sort --compress-program=x a', 'uniq a b', 'diff -o x a b' },
  },
  {
    id = 'building.edits',
    decision = 'allow',
    modes = MODES,
    program = 'sed gsed sort yq shuf iconv awk gawk',
    test = edits,
    match = {
      'sed -i s/a/b/ x', "sed -i.bak -E -e 's/a/b/' x", 'sort -u a -o a', 'yq -i .a=1 x.yml',
      { command = "sed -i 's/a/b/' x", mode = 'ci' },
    },
    not_match = { 'sed -i $X a', 'sort --compress-program=x -o a a', 'sed --fil=x a' },
  },
  {
    id = 'building.downloads',
    decision = 'allow',
    modes = MODES,
    program = 'curl wget wget2',
    match = { 'curl -fsS http://localhost:3000/health', 'wget https://example.com/data.json' },
    not_match = { { command = 'curl https://example.com', mode = 'plan' } },
  },
  {
    id = 'building.containers',
    decision = 'allow',
    modes = MODES,
    program = 'docker podman docker-compose',
    subcommand = {
      'build', 'buildx build', 'image build', 'compose build', 'pull', 'compose pull', 'tag',
    },
    match = { 'docker build -t app .', 'docker compose build' },
    not_match = { 'docker push app' },
  },
  {
    id = 'building.own_programs',
    decision = 'allow',
    modes = MODES,
    access = 'execute',
    path = 'workspace',
    test = function(command)
      return RUNNERS[command.program] or command.argv[1]:find('/', 1, true) ~= nil
    end,
    match = {
      './configure && true', './gradlew build', { command = './scripts/test.sh', mode = 'ci' },
    },
    not_match = {
      '/tmp/x.sh', { command = './a.sh', mode = 'default' }, "rush -c 'rm x'",
      "clj -M -e '(println 1)'",
    },
  },
  {
    id = 'building.own_jobs',
    decision = 'allow',
    modes = MODES,
    program = 'kill wait',
    match = { 'sleep 5 & kill $!', 'kill %1' },
    not_match = { { command = 'kill %1', mode = 'plan' } },
  },
}
