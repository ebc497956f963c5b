-- The variables of runs without a terminal, whatever starts them, and the argument `env` of tools.
-- A variable that the call sets stays as it is, and so does one of the user's own environment,
-- unless it names a program of NEED_TERMINAL.
local M = {}

-- An editor for programs that pass their words to a shell, as git does: runs the code that `editor`
-- evaluates to. Where `key` of git is set by `git -c`, that counts.
local function delegate(editor, key)
  local code = ('eval "%s \\"\\$@\\""'):format(editor)
  if key then
    code = ('case $GIT_CONFIG_PARAMETERS in *%s*) e=$(git config %s);; *) e=%s;; esac; '):format(
      key, key, editor) .. 'eval "$e \\"\\$@\\""'
  end
  return ("sh -c '%s' editor"):format(code)
end

M.WITHOUT_TERMINAL = {
  -- Output comes when it is printed.
  PYTHONUNBUFFERED = '1',
  -- All of the output comes at once.
  PAGER = 'cat',
  GIT_PAGER = 'cat',
  MANPAGER = 'cat',
  -- Questions fail, or are answered by their defaults.
  GIT_TERMINAL_PROMPT = '0',
  DEBIAN_FRONTEND = 'noninteractive',
  -- Editors fail and say what to do. A line that sets EDITOR=true means all of them.
  EDITOR = "sh -c 'echo \"There is no terminal for an editor. Give the text (git commit -m TEXT), "
    .. 'keep it as it is (--no-edit, or GIT_EDITOR=true before the command), or start the command '
    .. "in a terminal (pty).\" >&2; exit 1' editor",
  VISUAL = delegate '${EDITOR:-false}',
  GIT_EDITOR = delegate('${VISUAL:-${EDITOR:-false}}', 'core.editor'),
  GIT_SEQUENCE_EDITOR = delegate('${GIT_EDITOR:-false}', 'sequence.editor'),
}

-- Without a terminal these wait for ever, so that the user cannot have meant them.
M.NEED_TERMINAL = {
  'vi', 'vim', 'nvim', 'view', 'ex', 'vimx', 'elvis', 'nano', 'pico', 'micro', 'hx', 'helix',
  'kak', 'joe', 'jed', 'mcedit', 'ne', 'ed', 'tilde',
}

-- The argument `env` of a tool that starts commands. A secret is named, and known to the run alone.
M.SCHEMA = schema.object({}, {
  additional = schema.one_of { schema.string {}, schema.object { secret = schema.string {} } },
  optional = true, rare = true,
})

return M
