-- Build tools and compilers of which more than the name matters.
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
  ['dotnet msbuild nuget'] = {
    executes = '--project',
    values = '-o --output --project',
    writes = '-o --output',
    subcommands = subcommands 'nuget push publish run build test',
  },
  ['stack cabal dune opam lerna'] = {
    subcommands = { exec = EXEC, runghc = { executes = 'first' } },
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
}
