-- Tables and callbacks of shells, through which a name comes to mean another program; and what only
-- shells other than bash have.
return {
  {
    id = 'shells.tables',
    decision = 'ask',
    reason = 'This changes what the name of a program means to the shell: write the program '
      .. 'itself.',
    program = 'read printf mapfile readarray declare typeset local export unset let print set',
    argument = {
      're:(?:-v)?BASH_(?:ALIASES|CMDS)(?:\\[.*|=.*|\\+=.*)?', 're:(?:aliases|commands|functions|'
        .. 'galiases|saliases|dis_aliases)(?:\\[.*|=\\(.*)',
    },
    match = {
      "read 'BASH_CMDS[ls]' <<< ./x", 'printf -v BASH_ALIASES[ls] x', 'declare -A '
        .. 'BASH_ALIASES=([a]=b)',
    },
    not_match = { 'read x', 'printf -v x y' },
  },
  {
    id = 'shells.completion',
    decision = 'ask',
    reason = 'This makes the shell run something while a line is typed: leave it out.',
    program = 'complete compopt bind bindkey compgen zle compdef abbr',
    argument = { '-F', '-C', '-D', '-E', '-I', '-o', '-f', '-x', 're:-[a-zA-Z]*[FCDEI].*', '*:*',
      '-s*',
      '-N', '-A', '-a' },
    test = function(command)
      local first = command.argv[2] or ''
      if command.program == 'compgen' then
        return first:find('^%-%a*[FC]') ~= nil
      elseif command.program == 'compopt' then
        return true
      elseif command.program == 'bind' then
        -- bind 'set completion-ignore-case on' changes how lines are edited.
        return first ~= '-P' and first ~= '-l' and first ~= '-p' and first ~= '-v'
      end
      return first ~= '-p'
    end,
    match = { 'complete -F _x git', 'compgen -F x', 'bind \'"a": "rm x\\n"\'', 'compopt -o x' },
    not_match = { 'complete -p', 'compgen -c git', "bind 'set bell-style none'" },
  },
  {
    id = 'shells.callbacks',
    decision = 'ask',
    reason = 'This makes the shell run something after every command or line: write the commands '
      .. 'themselves.',
    program = 'trap mapfile readarray',
    argument = { 'DEBUG', 'RETURN', 'SIGDEBUG', '-C', 're:-[a-z]*C.*' },
    match = { "trap './x' DEBUG", 'mapfile -C ./x -c 1 a < b' },
    not_match = { "trap 'rm -f x' EXIT", 'mapfile -t a < b', 'trap - DEBUG_X' },
  },
  {
    id = 'shells.exported_functions',
    decision = 'ask',
    reason = 'Other shells would run this function under its name: put it into a script.',
    program = 'export declare typeset',
    flags = '-f',
    test = function(command)
      return command.program == 'export'
        or (command.argv[2] or ''):find('x') ~= nil
    end,
    match = { 'export -f ls', 'declare -fx git' },
    not_match = { 'declare -f', 'declare -f build', 'export -p' },
  },
  {
    id = 'shells.options',
    decision = 'ask',
    reason = 'This changes what lines mean to the shell, or hides what was run: leave it out.',
    program = 'shopt enable hash history fc suspend',
    argument = {
      'extdebug', 'expand_aliases', 'sourcepath', 'checkhash', 'progcomp_alias',
      'assoc_expand_once',
      '-n', '-d', '-f', '-p', '-a', '-r', '-w', '-s',
    },
    test = function(command)
      local first, second = command.argv[2] or '', command.argv[3] or ''
      if command.program == 'shopt' then
        local names = ' extdebug expand_aliases sourcepath checkhash progcomp_alias '
          .. 'assoc_expand_once '
        return names:find(' ' .. second .. ' ', 1, true) ~= nil and first:find('^%-[suo]') ~= nil
      elseif command.program == 'enable' then
        return first == '-n' and second ~= '' and second ~= 'x' or first == '-f' or first == '-d'
      elseif command.program == 'hash' then
        return first == '-p'
      elseif command.program == 'history' then
        return first == '-a' or first == '-r' or first == '-w' or first == '-s' or first == '-d'
      end
      return command.program == 'suspend'
    end,
    match = { 'shopt -s extdebug', 'enable -n kill', 'history -s x' },
    not_match = { 'shopt -s globstar', 'enable -n x', 'hash -r', 'history 5' },
  },
  {
    id = 'shells.of_zsh',
    decision = 'ask',
    reason = 'This is a command of another shell, which is not analysed: write it for bash.',
    program = 'zmodload autoload emulate sched vared zcompile ztcp zsocket zpty zle zf_rm zf_mv '
      .. 'zf_ln '
      .. 'zf_chmod zf_chown sysopen syswrite zselect zstyle setopt unsetopt funced funcsave '
      .. 'fish_config fish_update_completions fisher omf zinit antigen antibody zplug',
    match = { 'zmodload zsh/files', 'zf_rm -rf x', 'funced x' },
    not_match = { 'set -o pipefail' },
  },
  {
    id = 'shells.special_aliases',
    decision = 'ask',
    reason = 'This gives a word another meaning wherever it stands: leave it out.',
    program = 'alias',
    flags = '-g -s',
    match = { 'alias -g G=x', 'alias -s c=./x' },
    not_match = { "alias ll='ls -la'", 'alias -p' },
  },
}
