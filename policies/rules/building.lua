-- Building, testing and committing in the workspace: allowed in modes without a person to ask. Mode
-- auto allows it anyway; mode ci denies everything that no rule allows. Rules that ask or deny
-- (writing outside the workspace, publishing, pushing) count before these.
local MODES = { 'auto', 'ci' }

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
      'npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx', 'deno', 'corepack', 'pip', 'pip3',
      'pip3.*', 'uv', 'uvx', 'poetry', 'pdm', 'hatch', 'pipenv', 'bundle', 'bundler', 'gem',
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
      .. 'sphinx-build hugo jekyll doxygen valgrind gcov lcov gcovr hyperfine perf gdb lldb '
      .. 'strace ltrace',
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
    program = 'mkdir cp mv rm rmdir unlink touch ln install tee sed truncate split csplit patch '
      .. 'chmod mktemp rename dos2unix unix2dos dd sort uniq shuf rsync tar gtar bsdtar zip '
      .. 'unzip gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd 7z jq yq sponge cat head tail '
      .. 'echo printf grep find awk gawk cut tr base64 xxd diff ls env true false : sleep ed ex '
      .. 'openssl wc comm paste iconv envsubst column',
    match = {
      'mkdir -p build', 'rm -rf dist', 'cp a b', 'sed -i s/a/b/ x', 'echo x > y',
      { command = 'echo x > y', mode = 'ci' },
    },
    not_match = { { command = 'rm -rf dist', mode = 'plan' } },
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
    program = 'docker podman buildah docker-compose',
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
    match = {
      './configure && true', './gradlew build', { command = './scripts/test.sh', mode = 'ci' },
    },
    not_match = { '/tmp/x.sh', { command = './a.sh', mode = 'default' } },
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
