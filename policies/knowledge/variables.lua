-- Variables that make programs run, load or obey something. `safe` values need no attention; with
-- `shell` the value is a line for a shell. The first entry whose name matches counts.
local PAGER = 'cat|more|less|(?:less|more|bat|batcat|delta)(?: -{1,2}[A-Za-z-]+)*|true|:|'
local EDITOR = 'true|:|cat|false|vi|vim|nvim|nano|emacs|(?:code|codium|cursor|subl) (?:-w|--wait)|'

-- Directories where programs usually are: installed, or of a project.
local PROGRAM_DIRECTORY = '(?:\\$PATH|\\$\\{PATH\\}|/(?:usr/|usr/local/|opt/homebrew/|snap/)?s?bin'
  .. '|/usr/games|/usr/local/go/bin|/usr/local/cuda[^/:]*/bin|/usr/lib/[^:$]*/bin|/opt/[^:$]*/bin'
  .. '|(?:~|\\$HOME|\\$\\{HOME\\}|/home/[^/:$]+|/root|/Users/[^/:$]+)/'
  .. '(?:\\.local|\\.cargo|go|\\.go|\\.npm-global|\\.bun'
  .. '|\\.deno|\\.volta|\\.rbenv|\\.pyenv|\\.pnpm|\\.yarn|\\.dotnet|\\.nvm/[^:$]*|\\.fnm|\\.asdf'
  .. '|\\.foundry|\\.poetry|\\.dotnet/tools)(?:/s?bin|/shims|/tools)?'
  .. '|(?:(?:\\$PWD|\\$\\{PWD\\}|\\$\\(pwd\\)|[^:$]*)/)?'
  .. '(?:node_modules/\\.bin|\\.?venv/bin|vendor/bin|\\.tox/[^/:$]*/bin))'
local PATHS = PROGRAM_DIRECTORY .. '(?::' .. PROGRAM_DIRECTORY .. ')*:?'

-- Directories of a project, by relative names: src, ./lib, .
local RELATIVE = '(?:\\./)?(?:[A-Za-z0-9_][A-Za-z0-9_.-]*|\\.)(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*/?'
local RELATIVES = '(?:' .. RELATIVE .. ')(?::' .. RELATIVE .. ')*:?|'
-- The same, directories of projects by absolute paths, and the previous value of the variable.
local PROJECT = '(?:' .. RELATIVE .. '|/(?:workspaces?|work|app|src|code|repo|builds|home|Users|'
  .. 'root)(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*/?|/usr(?:/local)?/(?:lib|lib64|'
  .. 'cuda[^/:]*/lib64)[A-Za-z0-9_./-]*|\\$\\{?[A-Z0-9_]*PATH\\}?|'
  .. '\\$\\{[A-Z_]*PATH:\\+:\\$[A-Z_]*PATH\\})'
local PROJECTS = '(?::?' .. PROJECT .. ')(?::' .. PROJECT .. ')*:?|'

local COMPILER = '(?:ccache |sccache |distcc )?(?:[a-z0-9_]+(?:-[a-z0-9_]+)*-)?(?:gcc|g\\+\\+|cc|'
  .. 'c\\+\\+|clang|clang\\+\\+|tcc|ld|lld|ar|ranlib|strip|nm|cpp|musl-gcc|zig cc|gfortran|emcc|'
  .. 'em\\+\\+|icx|mold|gold)(?:-[0-9.]+)?(?: -{1,2}[A-Za-z0-9=_.+-]+)*|'
local NODE_OPTIONS = '(?:--(?:max[-_]old[-_]space[-_]size|max[-_]semi[-_]space[-_]size|stack[-_]'
  .. 'trace[-_]limit|unhandled-rejections|dns-result-order|max-http-header-size)[= ][A-Za-z0-9-]+'
  .. '|--(?:no-warnings|trace-warnings|trace-deprecation|no-deprecation|enable-source-maps'
  .. '|experimental-vm-modules|openssl-legacy-provider|experimental-[a-z-]+|preserve-symlinks'
  .. '|expose-gc|inspect|inspect-brk|throw-deprecation|pending-deprecation)| )*'
local JAVA = '(?:-X[a-zA-Z0-9:+.=_-]*|-D[A-Za-z0-9_.]+(?:=[A-Za-z0-9_./:-]*)?|'
  .. '-XX:[A-Za-z0-9:+.=_-]+|-ea|-da|-server|-client|--enable-preview|--add-opens[= '
  .. '][A-Za-z0-9_./=-]+| )*'

-- Makes one entry for each name.
local function plain(names, safe)
  local found = {}
  for name in names:gmatch('%S+') do
    found[#found + 1] = { name = name, safe = safe }
  end
  return found
end

local function shells(names, safe)
  local found = plain(names, safe)
  for _, variable in ipairs(found) do
    variable.shell = true
  end
  return found
end

local GROUPS = {
  -- The dynamic loader.
  plain('LD_PRELOAD LD_AUDIT LD_BIND_NOT LD_DEBUG_OUTPUT LD_PROFILE GCONV_PATH '
    .. 'LOCPATH HOSTALIASES GETCONF_DIR MALLOC_TRACE NLSPATH RESOLV_HOST_CONF', ''),
  plain('LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH LIBRARY_PATH', PROJECTS),
  plain('DYLD_*', ''),
  -- Shells.
  plain('BASH_ENV ENV ZDOTDIR SHELLOPTS BASHOPTS BASH_LOADABLES_PATH BASH_FUNC_* EXECIGNORE '
    .. 'histchars HISTIGNORE', ''),
  -- Its tables of programs, and functions that it calls itself.
  shells('BASH_ALIASES', ''),
  plain('BASH_CMDS command_not_found_handle command_not_found_handler precmd preexec chpwd '
    .. 'periodic '
    .. 'zshexit fish_prompt precmd_functions preexec_functions chpwd_functions HISTFILE',
    '/dev/null'),
  shells('PROMPT_COMMAND', ''),
  shells('PS0 PS1 PS2', '[^$`\\\\]*'),
  shells('PS4', '[^$`\\\\]*|\\+ ?(?:\\$\\{?(?:BASH_SOURCE|LINENO|'
    .. 'FUNCNAME)(?:\\[0\\])?(?::-)?\\}?[: ()]*)*'),
  plain('PATH', PATHS),
  plain('SHELL', '/?(?:usr/)?(?:bin/)?(?:sh|bash|dash|zsh|fish)|'),
  plain('CDPATH', RELATIVES),
  -- Pagers, editors, browsers.
  shells('PAGER MANPAGER GIT_PAGER SYSTEMD_PAGER PSQL_PAGER AWS_PAGER GH_PAGER BAT_PAGER '
    .. 'DELTA_PAGER MANROFFOPT LESSOPEN LESSCLOSE', PAGER),
  shells('EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR SUDO_EDITOR SVN_EDITOR HGEDITOR KUBE_EDITOR '
    .. 'SYSTEMD_EDITOR BROWSER GH_EDITOR GH_BROWSER '
    .. 'PSQL_EDITOR MYSQL_EDITOR FCEDIT', EDITOR .. '|none|echo'),
  plain('LESSKEY LESSKEYIN LESSKEYIN_SYSTEM TERMINFO TERMINFO_DIRS TERMCAP TERMPATH', ''),
  plain('VIMINIT EXINIT GVIMINIT MYVIMRC VIM VIMRUNTIME XDG_CONFIG_HOME XDG_CONFIG_DIRS '
    .. 'XDG_DATA_DIRS INPUTRC', ''),
  -- git.
  shells('GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS '
    .. 'SUDO_ASKPASS GIT_ALTERNATE_REF_COMMAND CVS_RSH SVN_SSH HG_SSH RSYNC_RSH RSYNC_CONNECT_PROG '
    .. 'SSH_SK_PROVIDER', 'true|echo|/bin/true|/bin/echo|:|ssh(?: -o (?:BatchMode=yes|'
    .. 'StrictHostKeyChecking=[a-z-]+|ConnectTimeout=[0-9]+))*|'),
  plain('GIT_CONFIG_NOSYSTEM GIT_CONFIG_SYSTEM GIT_CONFIG_GLOBAL', '0|1|true|false|/dev/null|'),
  plain('GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_KEY_* GIT_CONFIG_PARAMETERS GIT_CONFIG_VALUE_* '
    .. 'GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_ALLOW_PROTOCOL GIT_OBJECT_DIRECTORY '
    .. 'GIT_ALTERNATE_OBJECT_DIRECTORIES', ''),
  plain('GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE', '\\.git|\\.|' .. RELATIVES
    .. '/tmp/[A-Za-z0-9_./-]*'),
  -- Node.
  plain('NODE_OPTIONS', NODE_OPTIONS),
  plain('NODE_PATH', PROJECTS),
  plain('NODE_REPL_EXTERNAL_MODULE NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE', RELATIVES),
  plain('NPM_CONFIG_SCRIPT_SHELL npm_config_script_shell npm_config_shell npm_config_editor '
    .. 'npm_config_node_gyp npm_config_git npm_config_userconfig npm_config_globalconfig '
    .. 'NPM_CONFIG_USERCONFIG npm_config_prefix npm_config_registry NPM_CONFIG_REGISTRY '
    .. 'npm_config_node_options YARN_RC_FILENAME', 'https://registry\\.(?:npmjs\\.org|'
      .. 'yarnpkg\\.com)/?|'),
  -- Python.
  plain('PYTHONPATH', PROJECTS),
  plain('PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PYTHONUSERBASE PYTHONEXECUTABLE '
    .. 'PYTHONPLATLIBDIR', ''),
  plain('PYTHONWARNINGS', '(?:ignore|default|error|always|module|once|all)'
    .. '(?:::?[A-Za-z]*Warning)?(?:::?[A-Za-z0-9_.]*)*(?:,(?:ignore|default|error|always|once)'
    .. '(?:::?[A-Za-z0-9_.]*)*)*|'),
  plain('PYTHONBREAKPOINT', '0|pdb\\.set_trace|ipdb\\.set_trace|'),
  plain('PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL '
    .. 'PIP_CONFIG_FILE', 'https://pypi\\.org/simple/?|/dev/null|'),
  plain('PYTEST_PLUGINS', ''),
  plain('PYTEST_ADDOPTS', '(?:-{1,2}[a-oq-z][a-z0-9-]*(?:=[A-Za-z0-9_.]+)?|-p no:[a-z]+| |'
    .. '[a-z0-9]+)*'),
  -- Perl, Ruby, Lua, PHP, R.
  plain('PERL5OPT PERL5DB PERLLIB RUBYOPT RUBYSHELL PHPRC PHP_INI_SCAN_DIR R_PROFILE '
    .. 'R_PROFILE_USER R_ENVIRON R_ENVIRON_USER LUA_INIT LUA_INIT_* IRBRC GEM_PATH',
    '-W0|-W:no-deprecated|-w|'),
  plain('PERL5LIB RUBYLIB LUA_PATH LUA_CPATH LUA_PATH_* LUA_CPATH_*', RELATIVES
    .. '(?:[A-Za-z0-9_?;]|\\./)[A-Za-z0-9_./?;-]*'),
  plain('GEM_HOME BUNDLE_PATH BUNDLE_GEMFILE', RELATIVES .. '/home/[A-Za-z0-9_./-]*'),
  -- Java.
  plain('JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS MAVEN_OPTS GRADLE_OPTS '
    .. 'SBT_OPTS MAVEN_ARGS CATALINA_OPTS ANT_OPTS KOTLIN_OPTS', JAVA),
  plain('CLASSPATH', RELATIVES),
  -- Building.
  plain('MAKEFILES GNUMAKEFLAGS', ''),
  plain('MAKEFLAGS MFLAGS', '(?:-?[jsklrR]*[0-9]*|--(?:silent|quiet|jobs|keep-going|load-average|'
    .. 'no-print-directory|output-sync|no-builtin-rules|always-make)(?:=[a-z0-9]+)?| )*'),
  plain('DOTNET_STARTUP_HOOKS CORECLR_PROFILER CORECLR_PROFILER_PATH', ''),
  shells('CC CXX LD AR AS RANLIB NM STRIP CPP FC F77 HOSTCC HOSTCXX CMAKE_C_COMPILER '
    .. 'CMAKE_CXX_COMPILER', COMPILER .. '/usr/(?:local/)?bin/[a-z0-9+._-]+'),
  plain('CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER RUSTC_WRAPPER '
    .. 'RUSTC_WORKSPACE_WRAPPER CCACHE_PREFIX', 'ccache|sccache|distcc|icecc|'),
  plain('RUSTC RUSTDOC CARGO RUSTFMT', '(?:rustc|rustdoc|cargo|rustfmt|clippy-driver)|'),
  plain('CARGO_TARGET_*_RUNNER CARGO_TARGET_*_LINKER CARGO_BUILD_RUSTC* CARGO_ALIAS_* '
    .. 'CARGO_TARGET_*_RUSTFLAGS', '(?:qemu-[a-z0-9_]+|wasmtime|wasm-bindgen-test-runner'
    .. '|lld|rust-lld|mold|clang|gcc|[a-z0-9_-]+-gcc)?'),
  plain('RUSTFLAGS RUSTDOCFLAGS', '(?:-{1,2}[A-Za-z0-9=_.,:+-]+| |[a-z0-9_=.,+-]+)*'),
  plain('GOFLAGS', '(?:-(?:mod|tags|count|race|v|p|buildvcs|trimpath|'
    .. 'ldflags)(?:=[A-Za-z0-9_,.-]*)?| )*'),
  plain('GOPROXY GONOSUMDB GOSUMDB GOINSECURE', '(?:https://proxy\\.golang\\.org|direct|off|,)*|'
    .. 'sum\\.golang\\.org'),
  plain('COMPILER_PATH GCC_EXEC_PREFIX', ''),
  plain('M2_HOME MAVEN_HOME GRADLE_USER_HOME', RELATIVES .. '/(?:tmp|home|opt|'
    .. 'usr)/[A-Za-z0-9_./-]*'),
  -- Which machines programs talk to.
  plain('DOCKER_HOST CONTAINER_HOST', 'unix:///var/run/docker\\.sock|unix:///run/user/[0-9]+/'
    .. '(?:docker|podman/podman)\\.sock|'),
  plain('DOCKER_CONFIG KUBECONFIG', RELATIVES .. '\\$\\{?PWD\\}?/[A-Za-z0-9_./-]*|'
    .. '/(?:workspaces?|work|app|src|'
    .. 'code|repo|builds)/[A-Za-z0-9_./-]*|'
    .. '/tmp/[A-Za-z0-9_./-]*|'
    .. '/home/[a-z]+/\\.kube/config'),
  plain('http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy',
    'https?://(?:localhost|127\\.0\\.0\\.1)(?::[0-9]+)?/?|'),
  plain('AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE', '/dev/null|' .. RELATIVES),
  plain('SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE OPENSSL_CONF OPENSSL_ENGINES '
    .. 'OPENSSL_MODULES', '/etc/ssl/[A-Za-z0-9_./-]*|/usr/[A-Za-z0-9_./-]*|'),
  plain('CURL_HOME WGETRC NETRC', RELATIVES),
  -- Others that make programs run something.
  shells('TAR_OPTIONS ZIPOPT UNZIP RIPGREP_CONFIG_PATH FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS '
    .. 'ACK_PAGER PARALLEL MAIL_COMMAND', ''),
  plain('RSYNC_PROXY GREP_OPTIONS GIT_TRACE2_EVENT', '|0|1'),
  plain('LUA_INIT*', ''),
  plain('ERL_FLAGS ELIXIR_ERL_OPTIONS ERL_AFLAGS', '(?:\\+?-?[a-zA-Z]+ ?[0-9a-z]*)*'),
  plain('PERL_MM_OPT PERL_MB_OPT GHCRTS TCLLIBPATH JULIA_LOAD_PATH JULIA_DEPOT_PATH', RELATIVES),
  plain('HOME', '/tmp/[A-Za-z0-9_./-]*|' .. RELATIVES .. '/home/[a-z0-9_-]+|/root'),
}

-- The lists go on in variables_elsewhere.lua.
for _, group in ipairs(require 'knowledge.variables_elsewhere') do
  GROUPS[#GROUPS + 1] = plain(group.names, group.safe)
end

local variables = {}
for _, group in ipairs(GROUPS) do
  for _, variable in ipairs(group) do
    variables[#variables + 1] = variable
  end
end
return variables
