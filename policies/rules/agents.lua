-- Other agents. What they do is judged by their own rules, if by any: not by these.
local set = require('word_set').of

local AGENTS = [[claude claude-code codex gemini aider opencode opencode-ai goose cursor-agent amp
  qwen copilot droid crush cline roo kilo kilocode kiro kiro-cli q qchat plandex pdx openhands
  interpreter open-interpreter auggie augment continue cn aichat sgpt shell-gpt mods llm tgpt
  fabric oterm codebuff forge rovodev acli devin swe-agent sweagent mentat gpt-engineer gpte gptme
  autogpt babyagi smol-developer cody grok grok-cli trae trae-cli warp-cli jules pi-agent
  mini-swe-agent mini claude-flow ruflo letta hermes openclaw nanobot kimi iflow vibe mistral-vibe
  qodo qodercli zencoder tabnine coderabbit refact blackbox mcp fastmcp smithery mcp-cli mcpm
  mcp-remote mcp-get add-mcp docker-mcp skills openskills]]
local NAMES = set(AGENTS)
-- Names that other programs have as well: they count with words that only an agent takes.
local COMMON = {
  q = 'chat', mini = '%-%-yolo', forge = '%-p', continue = '%-p', warp = 'agent',
  goose = '[rsw][ue][nsb]',
  fabric = '%-%-pattern', pi = '%-p', vibe = '%-p', hermes = 'chat', llm = '', roo = '', grok = '',
}
-- Options that take the person out of the loop, of any agent.
local UNATTENDED = {
  '--dangerously*', '--yolo', '--full-auto', '--auto-approve*', '--yes-always', '--allow-all*',
  '--always-approve*', '--trust-all-tools', '--skip-permissions*', '--no-confirm', '--bypass*',
  '--permission-mode*', '--approval-mode*', '--allowedTools*', '--allowed-tools*',
  '--ask-for-approval*', '--add-mcp*', '--mcp-config*', '--no-interaction', '--autonomous',
  'danger-full-access', 'bypassPermissions', '--auto-accept*', '--unattended',
  '--headless-approve*',
}
local OTHERS = set [[echo printf grep rg git cat man ag sed awk find terraform gh composer poetry
  php]]
local LOOKS = set '--version --help -h -v -V version help doctor models list-models list dev'

-- @anthropic-ai/claude-code@latest and aider-chat are these programs as packages.
local SCOPES = [[@openai/codex @google/gemini-cli @anthropic-ai/ @sourcegraph/amp @qwen-code/
  @github/copilot @charmland/crush @augmentcode/ @smithery/ @modelcontextprotocol/]]

local function agent_of(word)
  local name = (word:match('([^/]+)$') or word):gsub('@[%w.^~-]*$', '')
  for scope in SCOPES:gmatch('%S+') do
    if word:sub(1, #scope) == scope then
      return name
    end
  end
  local short = name:gsub('%.exe$', ''):gsub('%-chat$', ''):gsub('^(%l+)%-cli$', '%1')
  return NAMES[name] and name or NAMES[short] and short or nil
end

local function starts_agent(command)
  local name = agent_of(command.argv[1])
  if command.program:find('^python') and command.argv[2] == '-m' and command.argv[3] then
    name = agent_of(command.argv[3])
  end
  if not name then
    return false
  end
  local second = command.argv[2]
  if #command.argv == 2 and LOOKS[second] or second == 'mcp' and command.argv[3] == 'list' then
    return false
  end
  local needs = COMMON[name]
  if needs and needs ~= '' then
    return table.concat(command.argv, ' ', 2):find(needs) ~= nil
  end
  return true
end

return {
  {
    id = 'agents.start',
    decision = 'ask',
    reason = 'This starts another agent, whose commands this policy does not judge: do the work '
      .. 'yourself, or let a person approve it.',
    program = AGENTS .. ' python python3 python3.* *@* *-mcp-* mcp-* *-cli *-chat claude.exe '
      .. 'cli inspector',
    test = starts_agent,
    match = { 'claude -p x', 'codex exec --full-auto x', 'gemini --yolo', 'aider --yes -m fix' },
    not_match = {
      'claude --version', 'codex mcp list', 'grep claude notes.txt', 'cat codex.md',
      'goose up', 'which claude', 'fabric deploy',
    },
  },
  {
    id = 'agents.unattended',
    decision = 'ask',
    reason = 'With this option a program acts without asking anybody: leave it out, and let a '
      .. 'person approve the run.',
    argument = UNATTENDED,
    not_argument = { '--help' },
    -- Programs that have nothing to do with agents mean something else by it.
    test = function(command)
      return not OTHERS[command.program]
    end,
    match = { 'someagent --dangerously-skip-permissions x', 'newagent --yolo' },
    not_match = {
      "git commit -m '--yolo'", 'grep -- --yolo x', 'composer install --no-interaction',
    },
  },
  {
    id = 'agents.servers',
    decision = 'ask',
    reason = 'This gives an agent a server or an extension, whose tools no policy judges: let a '
      .. 'person add it.',
    program = 'code cursor windsurf code-insiders codium zed',
    argument = { '--add-mcp*', 'agent', 'chat' },
    match = { "code --add-mcp '{}'", 'cursor agent x' },
    not_match = { 'code .' },
  },
}
