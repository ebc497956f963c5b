-- Package managers: what lists and explains. What resolves dependencies anew may write a lock file
-- or run a project's own code, and is missing; so are configuration files and registries that the
-- line names.
local NPM = {
  flags = '--json -l --long -p --parseable -g --global -a --all --no-color --silent -s '
    .. '--link --package-lock-only --unicode --no-unicode -q --quiet -d -dd -v --prod --production '
    .. '--dev -D -P',
  values = '--depth -w --workspace --omit --include --loglevel -C --prefix --searchlimit',
  alone = true,
  subcommands = {
    ['ls, list, ll, la, outdated, view, v, info, show, why, explain, search, help, root, prefix, '
      .. 'bin, whoami, ping, config get, config list, config ls, get, query, pkg get, '
      .. 'doctor'] = {},
    -- Without a name, run lists the scripts.
    ['version, run, run-script'] = { operands = 0 },
  },
}

local PIP = {
  flags = '-v --verbose -q --quiet --no-color --disable-pip-version-check --no-input --isolated -V '
    .. '-h --require-virtualenv',
  subcommands = {
    list = {
      flags = '-o --outdated -u --uptodate -e --editable -l --local --user --pre --not-required '
        .. '--exclude-editable --include-editable',
      values = '--format --exclude --path',
    },
    show = '-f --files',
    freeze = {
      flags = '-l --local --user --all --exclude-editable', values = '--exclude --path',
    },
    check = {},
    help = {},
    ['cache dir, cache info, cache list'] = { flags = '--format' },
    ['config list, config get'] = '--global --site --user',
    debug = '--verbose',
    inspect = { flags = '--local --user', values = '--path' },
  },
}

return {
  npm = NPM,
  pnpm = {
    flags = '--json -l --long -p --parseable -g --global -r --recursive --dev -D --prod -P '
      .. '--no-optional --compatible --no-color -s --silent --only-projects',
    values = '--depth -F --filter --loglevel -C --dir',
    subcommands = {
      ['ls, list, outdated, why, root, bin, config list, config get, licenses list'] = {},
    },
  },
  -- A word that yarn does not know is a script of the project.
  ['yarn yarnpkg'] = {
    flags = '--json -s --silent --no-progress -R --recursive -A --all -W --verbose '
      .. '--non-interactive',
    values = '--depth --pattern',
    subcommands = {
      ['list, why, outdated, info, versions, config list, config get, help, workspaces info, '
        .. 'workspaces list'] = {},
    },
  },
  cargo = {
    own_options = true,
    flags = '-V -v --verbose -q --quiet --list --offline --locked --frozen',
    values = '--explain --color',
    alone = true,
    subcommands = {
      tree = {
        flags = '-d --duplicates -i --invert --no-dedupe --no-default-features --all-features '
          .. '--workspace --all --offline --locked --frozen -q --quiet -v --verbose -vv -h',
        values = '-e --edges -p --package --exclude --depth --prefix --charset -f --format -F '
          .. '--features --target --color --prune --manifest-path',
      },
      metadata = {
        flags = '--no-deps --no-default-features --all-features --offline --locked --frozen -q '
          .. '--quiet -v --verbose',
        values = '--format-version -F --features --filter-platform --color --manifest-path',
      },
      search = { flags = '-q --quiet -v --verbose', values = '--limit --color' },
      ['locate-project'] = { flags = '--workspace', values = '--message-format --manifest-path' },
      pkgid = { flags = '-q --quiet', values = '-p --package' },
      info = { flags = '-q --quiet -v --verbose', values = '--color' },
      version = '-v --verbose',
      help = {},
    },
  },
  -- Lists the tool chains of directories, too; everything else installs.
  rustup = {
    own_options = true,
    flags = '-V -v --verbose -q --quiet',
    subcommands = {
      ['show, show active-toolchain, show home, toolchain list, component list, target list, '
        .. 'override list, which'] = { flags = '-v --verbose --installed --path' },
    },
  },
  -- -exec, -toolexec and -vettool run programs; -overlay and -modfile replace files.
  go = {
    own_options = true,
    single_dash_long = true,
    subcommands = {
      list = {
        single_dash_long = true,
        flags = '-json -m -u -e -deps -test -versions -retracted -find -a -v -x -race -trimpath',
        values = '-f -tags -mod',
        only = { ['-mod'] = { 'readonly', 'vendor' } },
      },
      env = { single_dash_long = true, flags = '-json -changed', not_operand = '*=*' },
      version = { single_dash_long = true, flags = '-m -v' },
      doc = {
        single_dash_long = true,
        flags = '-all -c -cmd -short -src -u',
      },
      help = {},
      vet = {
        single_dash_long = true, flags = '-json -v -n -x', values = '-c -tags',
      },
      ['mod graph, mod why, mod verify'] = { single_dash_long = true, flags = '-m -vendor -x' },
    },
  },
  ['pip pip3'] = PIP,
  uv = {
    flags = '-v --verbose -q --quiet --offline --no-progress -n --no-cache',
    values = '--color',
    subcommands = {
      ['pip list, pip show, pip freeze, pip tree, pip check'] = {
        flags = '-e --editable --exclude-editable --outdated --strict --system -f --files '
          .. '--no-dedupe --invert --show-version-specifiers',
        values = '--exclude --format -d --depth --prune --package',
      },
      ['python list, python dir, tool list, tool dir, cache dir'] = {
        flags = '--only-installed --only-downloads --all-versions --show-version-specifiers '
          .. '--show-paths --bin',
        values = '--output-format',
      },
      ['version'] = { flags = '--short', operands = 0 },
      help = {},
    },
  },
  poetry = {
    flags = '-v -vv -vvv --verbose -q --quiet -n --no-interaction --no-ansi --ansi -V',
    subcommands = {
      show = {
        flags = '-t --tree -l --latest -o --outdated -a --all -T --top-level --why --no-truncate',
        values = '--with --without --only --format',
      },
      ['env info, env list'] = '-p --path -e --executable --full-path',
      check = '--lock --strict',
      version = { flags = '-s --short', operands = 0 },
      ['about, config'] = { flags = '--list', operands = 1 },
    },
  },
  gem = {
    flags = '-v -V --verbose -q --quiet --silent --no-verbose',
    subcommands = {
      ['list, search, query'] = {
        flags = '-l --local -r --remote -b --both -a --all -d --details -i --installed -I --exact '
          .. '-e --prerelease --no-versions --versions',
        values = '-n',
      },
      ['info, contents, which, environment, env, outdated, dependency, help, specification'] = {
        flags = '-l --local -a --all -R --reverse-dependencies --yaml',
      },
    },
  },
  bundle = {
    flags = '--verbose -V --no-color',
    subcommands = {
      -- `bundle list` and the like evaluate the Gemfile, which is code of the workspace.
      ['help, version'] = {},
    },
  },
  composer = {
    flags = '-v -vv -vvv --verbose -q --quiet -n --no-interaction --no-plugins --no-scripts '
      .. '--no-cache --ansi --no-ansi -V --profile',
    -- Plugins are code of the workspace.
    subcommands = {
      ['show, info, why, depends, outdated, licenses, check-platform-reqs, validate'] = {
        flags = '-i --installed -l --latest -o --outdated -D --direct -t --tree -N --name-only -P '
          .. '--path -s --self -a --all --strict --no-dev --no-plugins -r --recursive -m '
          .. '--minor-only -p --platform',
        values = '-f --format',
        needs = '--no-plugins',
      },
    },
  },
  apt = {
    own_options = true,
    subcommands = {
      ['list'] = '--installed --upgradable --all-versions -a -v --manual-installed -q -qq',
      ['show, policy, search, depends, rdepends, showsrc'] = '-a --all-versions -n --names-only -f '
        .. '--full -q -qq --installed',
      help = {},
    },
  },
  ['apt-cache'] = {
    flags = '-q --quiet -i --important --no-pre-depends --no-depends --no-recommends '
      .. '--no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances --implicit -f '
      .. '--full -a --all-versions --names-only -n --all-names --recurse --installed -h -v',
    subcommands = {
      ['policy, show, search, depends, rdepends, showpkg, showsrc, madison, pkgnames, stats, '
        .. 'unmet, dump'] = {},
    },
  },
  ['dpkg-query'] = {
    flags = '-l --list -s --status -L --listfiles -S --search -W --show -p --print-avail '
      .. '--no-pager -? -c --control-path --control-list --control-show',
    values = '-f --showformat',
  },
  dpkg = {
    flags = '-l --list -s --status -L --listfiles -S --search -p --print-avail --get-selections -V '
      .. '--verify -C --audit --print-architecture --print-foreign-architectures --no-pager '
      .. '--compare-versions -?',
    needs = '-l --list -s --status -L --listfiles -S --search -p --print-avail --get-selections '
      .. '-V --verify -C --audit --print-architecture --print-foreign-architectures '
      .. '--compare-versions -?',
  },
  rpmquery = '-a --all -i --info -l --list -f --file -q --queryformat -R --requires --provides '
    .. '--changelog --scripts -c -d -s',
  brew = {
    flags = '-v --verbose -q --quiet -d --debug',
    subcommands = {
      ['list, ls, info, search, deps, uses, outdated, leaves, config, doctor, cat, desc'] = {
        flags = '--versions --formula --cask -1 --json --installed --tree --greedy --full-name '
          .. '--pinned --include-build --include-optional --topological -l -r -t --recursive',
      },
    },
  },
  -- Interpreters and compilers say only which they are.
  ['node nodejs bun deno ruby perl php lua luajit'] = {
    flags = '-v --version', needs = '-v --version', operands = 0,
  },
  ['make gmake'] = { flags = '-v', needs = '-v', operands = 0 },
  dotnet = {
    flags = '--info --list-sdks --list-runtimes', needs = '--info --list-sdks --list-runtimes',
    operands = 0,
  },
  openssl = {
    subcommands = {
      version = { single_dash_long = true, flags = '-a -v -b -o -f -p -d', operands = 0 },
      x509 = {
        single_dash_long = true,
        flags = '-noout -text -subject -issuer -dates -startdate -enddate -fingerprint -serial '
          .. '-sha1 -sha256 -modulus -pubkey -purpose -email -hash -subject_hash -issuer_hash',
        values = '-in -inform -ext -checkend -nameopt -certopt -dateopt',
        needs = '-noout',
        operands = 0,
      },
    },
  },
  ['python python3'] = { flags = '-V -VV --version', needs = '-V -VV --version', operands = 0 },
  java = { single_dash_long = true, flags = '-version', needs = '-version', operands = 0 },
  ['gcc g++ cc c++ clang clang++'] = {
    single_dash_long = true,
    flags = '-v -dumpversion -dumpmachine -dumpfullversion --version',
    needs = '-v -dumpversion -dumpmachine -dumpfullversion --version',
    operands = 0,
  },
  rustc = { flags = '-V -v -vV --version', needs = '-V -vV --version', operands = 0 },
}
