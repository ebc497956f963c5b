-- Build tools, compilers, test runners.
local function subcommands(names, more)
  local found = more or {}
  for name in names:gmatch('%S+') do
    found[name] = found[name] or {}
  end
  return found
end

local PACKAGES = { executes = 'operands' }
local EXEC = { options_first = true, runs = { { how = 'argv' } } }

return {
  ['make gmake bmake remake'] = {
    values = '-f --file --makefile -C --directory -I --include-dir --eval -E',
    cwd = '-C --directory',
    executes = '-f --file --makefile -I --include-dir',
    runs = {
      { how = 'code', from = '--eval -E', language = 'make' },
      { how = 'shell', from = 'operands', strip_prefix = 'SHELL=' },
    },
  },
  ['cmake cmake3'] = {
    values = '-S -B -G -T -A -D -C -P -t --build --install --target --config --prefix --preset -j '
      .. '--parallel --component --install-prefix --toolchain --open --find-package',
    writes = '-B --build --prefix',
    executes = '-P -C --toolchain',
    enters = { '-S --build', 'first' },
    subcommands = { -- behind -E
      rm = { removes = 'operands', recursive = '-r -R' },
      remove = { removes = 'operands' },
      remove_directory = {
        accesses = { { access = 'remove', of = 'operands', recursive = true } },
      },
      copy = { reads = 'but_last', writes = 'last' },
      copy_directory = { reads = 'but_last', writes = 'last' },
      rename = { removes = 'first', writes = 'second' },
      touch = { writes = 'operands' },
      make_directory = { writes = 'operands' },
      create_symlink = { writes = 'second' },
      env = { options_first = true, runs = { { how = 'argv', assignments = true } } },
      time = { options_first = true, runs = { { how = 'argv' } } },
      chdir = {
        options_first = true, cwd = 'first', runs = { { how = 'argv', skip = 1 } },
      },
    },
  },
  ['ctest'] = {
    values = '-S --script --test-dir --output-junit -O --output-log',
    cwd = '--test-dir',
    executes = '-S --script',
    writes = '--output-junit -O --output-log',
  },
  ['cpack'] = { values = '-B', writes = '-B' },
  ['ninja samu n2'] = { values = '-C -f', cwd = '-C', executes = '-f' },
  meson = {
    values = '-C --prefix --buildtype -D --native-file --cross-file',
    subcommands = subcommands('test init install', {
      setup = { executes = 'operands' },
    }),
  },
  ['gcc g++ cc c++ clang clang++ tcc icx gfortran gcc-* g++-* clang-* clang++-* nvcc emcc em++'] = {
    values = '-o -MF -wrapper -specs',
    single_dash_long = true,
    reads = 'operands',
    writes = '-o -MF',
    executes = '-specs',
    runs = { { how = 'shell', from = '-wrapper' } },
  },
  ['ld gold lld ld.lld as nasm yasm strip objcopy'] = {
    values = '-o',
    reads = 'operands',
    writes = '-o',
  },
  ['rustc rustdoc'] = {
    values = '-o --out-dir',
    reads = 'operands',
    writes = '-o --out-dir',
  },
  cargo = {
    values = '-C --manifest-path --target-dir --target --package -p --features -F --bin --example '
      .. '--test --bench --profile -j --jobs --config --color --message-format --version --root '
      .. '--registry --token --exclude --path --git --branch --rev --vers -Z',
    cwd = '-C',
    executes = '--manifest-path --path',
    writes = '--target-dir --root',
    subcommands = subcommands('test clean update add rm remove fetch init search info fix install '
      .. 'uninstall owner login logout audit outdated version', {
      new = { writes = 'operands' },
      watch = {
        values = '-x --exec -s --shell -w --watch',
        runs = { { how = 'shell', from = '-s --shell' } },
      },
    }),
  },
  rustup = {
    values = '--toolchain --target --component -c',
    subcommands = {
      run = { options_first = true, runs = { { how = 'argv', skip = 1 } } },
    },
  },
  go = {
    values = '-o -C -run -bench -count -timeout -tags -ldflags -gcflags -mod -modfile '
      .. '-coverprofile -covermode -coverpkg -cpuprofile -memprofile -exec -toolexec -parallel '
      .. '-p -asmflags -overlay -pkgdir -f -vettool',
    single_dash_long = true,
    cwd = '-C',
    writes = '-o -coverprofile -cpuprofile -memprofile',
    executes = '-vettool',
    runs = { { how = 'shell', from = '-exec' }, { how = 'shell', from = '-toolexec' } },
    subcommands = subcommands('list version clean fix install get', {
      run = { options_first = true, executes = 'first' },
      build = PACKAGES, test = PACKAGES, install = PACKAGES, generate = PACKAGES,
      ['work use'] = PACKAGES,
      env = { values = '-u' },
      ['mod tidy'] = {}, ['mod download'] = {},
    }),
  },
  ['gofmt goimports gofumpt'] = {
    reads = 'operands',
    accesses = { { access = 'write', of = 'operands', when = '-w', recursive = true } },
  },
  ['mvn mvnw'] = {
    values = '-f --file -s --settings -gs --global-settings',
    reads = '-s --settings -gs --global-settings',
    executes = '-f --file',
    single_dash_long = true,
  },
  ['gradle gradlew gradlew.bat'] = {
    values = '-p --project-dir -b --build-file -I --init-script -c --settings-file',
    cwd = '-p --project-dir',
    executes = '-b --build-file -I --init-script -c --settings-file',
  },
  ['ant sbt mill lein'] = { values = '-f -buildfile', executes = '-f -buildfile' },
  ['dotnet msbuild nuget'] = {
    executes = '--project',
    values = '-o --output --project',
    writes = '-o --output',
    subcommands = subcommands 'nuget push publish run build test',
  },
  ['swift swiftc xcodebuild xcrun xcode-select pod fastlane'] = {
    values = '-o -project -workspace -scheme -configuration -destination -sdk --package-path',
    single_dash_long = true,
    writes = '-o',
    executes = { 'first', '--package-path' },
  },
  ['flutter dart'] = {
    executes = 'first',
    subcommands = subcommands 'pub build test run analyze format create doctor',
  },
  ['stack cabal dune opam lerna'] = {
    subcommands = { exec = EXEC, runghc = { executes = 'first' } },
  },
  ['mix rebar3'] = { subcommands = { run = { executes = 'first' } } },
  ['zig'] = {
    values = '-o -femit-bin --build-file', writes = '-o', executes = { 'second', '--build-file' },
  },
  just = {
    values = '-f --justfile -d --working-directory --set --shell --shell-arg',
    cwd = '-d --working-directory',
    executes = '-f --justfile',
    runs = {
      { how = 'until', from = '-c --command' },
      { how = 'shell', from = '--shell' },
    },
  },
  tox = {
    values = '-c --conf -e -x --workdir',
    executes = '-c --conf',
    subcommands = { exec = { values = '-e', runs = { { how = 'joined' } } } },
  },
  ['task go-task'] = {
    values = '-t --taskfile -d --dir',
    executes = '-t --taskfile',
    cwd = '-d --dir',
  },
  ['rake thor invoke inv nox doit scons waf'] = {
    values = '-f --taskfile -d --dir -C',
    executes = '-f --taskfile',
    cwd = '-d --dir -C',
  },
  ['pytest py.test'] = {
    values = '-c --rootdir --junitxml --junit-xml --basetemp --confcutdir --html',
    writes = '--junitxml --junit-xml --basetemp --html',
    executes = { '-c --confcutdir --rootdir', 'operands' },
    reads = 'operands',
  },
  ['mypy pyright basedpyright pylint flake8 pyflakes pycodestyle bandit vulture pytype ty '
    .. 'shellcheck hadolint yamllint markdownlint markdownlint-cli2 actionlint tsc vue-tsc jshint '
    .. 'htmlhint luacheck selene cppcheck cpplint include-what-you-use iwyu phpstan psalm semgrep '
    .. 'commitlint knip depcheck madge cspell codespell typos vale ansible-lint tflint checkov'] = {
    values = '-o --output --outDir --outFile',
    reads = 'operands',
    writes = '-o --output --outDir --outFile',
  },
  ['eslint biome oxlint stylelint standard xo rome'] = {
    values = '-c --config -o --output-file --rulesdir --parser',
    reads = 'operands',
    executes = '-c --config --rulesdir --parser',
    writes = '-o --output-file',
    accesses = {
      { access = 'write', of = 'operands', when = '--fix --write --apply', recursive = true },
    },
  },
  ruff = {
    values = '--config --select --ignore --target-version --line-length --output-format --exclude '
      .. '-o --output-file',
    reads = 'operands',
    writes = '-o --output-file',
    accesses = {
      { access = 'write', of = 'operands', when = '--fix --fix-only', recursive = true },
    },
    subcommands = {
      format = {
        accesses = {
          { access = 'write', of = 'operands', unless = '--check --diff', recursive = true },
        },
      },
    },
  },
  ['prettier dprint'] = {
    values = '--config --plugin',
    reads = 'operands',
    executes = '--config --plugin',
    accesses = { { access = 'write', of = 'operands', when = '-w --write', recursive = true } },
  },
  ['black isort autopep8 yapf autoflake pyupgrade rustfmt stylua shfmt clang-format swiftformat '
    .. 'rubocop php-cs-fixer ktlint google-java-format taplo gersemi cmake-format '
    .. 'buildifier djlint'] = {
    values = '-l --line-length -t --target-version --config --profile -s --settings-path -c '
      .. '--config-path -f --style -ln -o',
    accesses = {
      {
        access = 'write', of = 'operands', recursive = true,
        unless = '--check --diff --dry-run -n -d -l -L --version --help',
      },
      {
        access = 'read', of = 'operands', recursive = true,
        when = '--check --diff --dry-run -n -d -l -L',
      },
    },
  },
  ['clang-tidy run-clang-tidy'] = { reads = 'operands' },
  ['jest vitest mocha ava tap cypress playwright karma jasmine nyc c8 webpack rollup vite '
    .. 'esbuild parcel swc babel tsup turbo nx rush gulp grunt next nuxt astro remix '
    .. 'svelte-kit ng vue gatsby storybook expo react-scripts rspack wrangler prisma '
    .. 'drizzle-kit sequelize knex typeorm graphql-codegen openapi-generator protoc buf '
    .. 'lessc postcss tailwindcss serve http-server live-server json-server'] = {
    values = '-c --config -o --output --outfile --outdir --out-dir -r --require '
      .. '--coverageDirectory --globalSetup --outDir --outFile --out-file --dist-dir',
    executes = '-c --config -r --require --globalSetup',
    writes = '-o --output --outfile --outdir --out-dir --coverageDirectory --outDir --outFile '
      .. '--out-file --dist-dir',
  },
  sass = { values = '-I --load-path -s --style', reads = 'first', writes = 'second' },
  ['rails rspec jekyll hugo mkdocs sphinx-build sphinx-autobuild doxygen manage.py alembic '
    .. 'flask uvicorn gunicorn hypercorn celery streamlit jupyter jupyter-lab'] = {
    values = '-d --destination --app -r --require --app-dir --chdir --workdir',
    writes = '-d --destination',
    executes = '--app --app-dir --chdir --workdir -r --require',
  },
  ['pre-commit lefthook husky lint-staged commitizen cz semantic-release release-it changeset'] = {
    values = '-c --config',
    executes = '-c --config',
  },
}
