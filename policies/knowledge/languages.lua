-- Code in other languages within a command line: calls that touch paths. Whether code may do more
-- than a sandbox with a network should let it is for `reaching` and `unheld` to say.

-- A call whose first argument is a path.
local QUOTED = [=[\s*\(?\s*\[?\s*["']([^"']+)["']]=]
local PY_QUOTED = [=[\(\s*(?:os\.path\.expanduser\(\s*)?[rbf]?["']([^"']+)["']]=]
local PY_PATH = [[Path]] .. PY_QUOTED .. [[\)(?:\.expanduser\(\))?\.]]
local PY_SECOND = [[\([^,()]*,\s*["']([^"']+)["']\s*\)]]
local PY_OPENED = [[open]] .. PY_QUOTED .. [[\)?\s*]]
local JS_QUOTED = [=[\(\s*["'`]([^"'`]+)["'`]]=]
local JS_SECOND = [=[\([^,()]*,\s*["'`]([^"'`]+)["'`]]=]
local PERL_QUOTED = [=[\s*(?:\(\s*)?\[?\s*["']([^"']+)["']]=]

return {
  python = {
    calls = {
      { access = 'remove', recursive = true, pattern = '(?:rmtree|removedirs)' .. PY_QUOTED },
      { access = 'remove', pattern = '(?:remove|unlink|rmdir|rename|replace|move)' .. PY_QUOTED },
      { access = 'remove', pattern = PY_PATH .. [[(?:unlink|rmdir|rename)\(]] },
      {
        access = 'write',
        pattern = '(?:copy2?|copyfile|copytree|rename|move|link|symlink)' .. PY_SECOND,
      },
      { access = 'write', pattern = PY_PATH .. [[(?:write_text|write_bytes|touch|mkdir)\(]] },
      { access = 'write', pattern = PY_OPENED .. [=[,\s*(?:mode\s*=\s*)?["'][rbt]*[wax+]]=] },
      { access = 'write', pattern = '(?:mkdir|makedirs|truncate|mkfifo|mknod)' .. PY_QUOTED },
      { access = 'read', pattern = PY_OPENED .. '[,)]' },
      { access = 'read', pattern = PY_PATH .. [[read_(?:text|bytes)\(]] },
      { access = 'permission', pattern = '(?:chmod|chown|lchown)' .. PY_QUOTED },
    },
  },
  javascript = {
    calls = {
      {
        access = 'remove', recursive = true,
        pattern = [[(?:rmSync|rm|rmdirSync|rmdir|removeSync|remove|emptyDirSync|rimraf(?:\.sync)?)]]
          .. JS_QUOTED,
      },
      {
        access = 'remove',
        pattern = '(?:unlinkSync|unlink|renameSync|rename|moveSync)' .. JS_QUOTED,
      },
      {
        access = 'write',
        pattern = '(?:writeFileSync|writeFile|appendFileSync|appendFile|createWriteStream|'
          .. 'outputFileSync|truncateSync|mkdirSync|openSync|writeTextFileSync|write)' .. JS_QUOTED,
      },
      {
        access = 'write',
        pattern = '(?:copyFileSync|cpSync|copySync|symlinkSync|renameSync)' .. JS_SECOND,
      },
      {
        access = 'read',
        pattern = '(?:readFileSync|readFile|createReadStream|readdirSync)' .. JS_QUOTED,
      },
      { access = 'permission', pattern = '(?:chmodSync|chownSync|chmod|chown)' .. JS_QUOTED },
    },
  },
  perl = {
    calls = {
      { access = 'remove', recursive = true, pattern = '(?:rmtree|remove_tree)' .. PERL_QUOTED },
      { access = 'remove', pattern = '(?:unlink|rmdir|rename)' .. PERL_QUOTED },
      { access = 'write', pattern = [=[open[^;]*["']\+?>{1,2}["']\s*,\s*["']([^"']+)["']]=] },
      { access = 'write', pattern = [=[open[^;]*["']\+?>{1,2}\s*([^"'>]+)["']]=] },
      { access = 'read', pattern = [=[open[^;]*["']<["']\s*,\s*["']([^"']+)["']]=] },
      { access = 'permission', pattern = [=[(?:chmod|chown)[^;]*["'](/[^"']+)["']]=] },
    },
  },
  awk = {
    calls = {
      { access = 'write', pattern = [[>{1,2}\s*"([^"]+)"]] },
      { access = 'read', pattern = [[<\s*"([^"]+)"]] },
    },
  },
  sed = {
    calls = {
      { access = 'write', pattern = [[(?:^|[;}{\n0-9$/])\s*[wW]\s+([^\s;}]+)]] },
      { access = 'write', pattern = [[(?:^|[;}{\n0-9$/])\s*[wW]([/~][^\s;}]+)]] },
      { access = 'write', pattern = [[s[/|#,@][^\n]*[/|#,@][gpIi0-9]*w\s+([^\s;}]+)]] },
      { access = 'read', pattern = [[(?:^|[;}{\n0-9$/])\s*[rR]\s*([^\s;}]+)]] },
    },
  },
  sql = {
    calls = {
      {
        access = 'write',
        pattern = [[(?i)(?:outfile|dumpfile|writefile\(|\.output|\.once|\bto)\s*["']?(/[^\s"']+)]],
      },
      {
        access = 'read',
        pattern = [[(?i)(?:load_file\(|readfile\(|\.read|infile)\s*["']?(/[^\s"']+)]],
      },
    },
  },
  ruby = {
    calls = {
      {
        access = 'remove', recursive = true,
        pattern = '(?:rm_rf|rm_r|remove_dir|remove_entry)' .. QUOTED,
      },
      {
        access = 'remove',
        pattern = [[(?:File\.(?:delete|unlink)|rmdir|Dir\.delete|FileUtils\.rm)]] .. QUOTED,
      },
      {
        access = 'write',
        pattern = [[(?:File\.(?:write|binwrite)|IO\.write|touch|mkdir_p)]] .. QUOTED,
      },
      { access = 'write', pattern = [[File\.open]] .. QUOTED .. [=[\s*,\s*["'][wa]]=] },
      { access = 'read', pattern = [[(?:File|IO)\.(?:read|readlines|open|foreach)]] .. QUOTED },
      { access = 'permission', pattern = [=[(?:chmod|chown)[^;]*["'](/[^"']+)["']]=] },
    },
  },
  php = {
    calls = {
      { access = 'remove', pattern = '(?:unlink|rmdir|rename)' .. QUOTED },
      { access = 'write', pattern = 'file_put_contents' .. QUOTED },
      { access = 'write', pattern = 'fopen' .. QUOTED .. [=[\s*,\s*["'][waxc]]=] },
      { access = 'read', pattern = '(?:file_get_contents|readfile|file|fopen)' .. QUOTED },
      { access = 'permission', pattern = '(?:chmod|chown|chgrp)' .. QUOTED },
    },
  },
  lua = {
    calls = {
      { access = 'remove', pattern = [[os\.(?:remove|rename)]] .. QUOTED },
      { access = 'write', pattern = [[io\.(?:open|output)]] .. QUOTED .. [=[\s*,\s*["'][wa]]=] },
      { access = 'read', pattern = [[io\.(?:open|lines|input)]] .. QUOTED },
    },
  },
  vim = {
    calls = { { access = 'write', pattern = [[(?:^|\|)\s*:?w(?:rite)?!?\s+(\S+)]] } },
  },
  gdb = {}, r = {}, julia = {}, powershell = {}, make = {}, tcl = {}, lisp = {}, haskell = {},
  ocaml = {}, elixir = {}, jvm = {}, applescript = {}, ed = {}, redis = {}, gnuplot = {},
  mongo = {},
  -- Shells whose grammar is another one. zsh reads plain commands as bash does; they are analysed
  -- as well.
  fish = {}, nu = {}, xonsh = {}, elvish = {}, csh = {}, rc = {}, other_shell = {}, cmd = {},
  zsh = {},
}
