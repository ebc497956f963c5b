-- Other agents. What they do is judged by their own rules, if by any: not by these.
local AGENTS = 'claude claude-code codex gemini aider opencode opencode-ai goose cursor-agent '
  .. 'amp qwen '
  .. 'copilot droid crush cline roo kilo kilocode kiro kiro-cli q qchat plandex pdx openhands '
  .. 'interpreter open-interpreter auggie augment continue cn aichat sgpt shell-gpt mods llm '
  .. 'tgpt fabric '
  .. 'oterm codebuff forge rovodev acli devin swe-agent sweagent mentat gpt-engineer gpte gptme '
  .. 'autogpt babyagi smol-developer cody grok grok-cli trae trae-cli warp-cli jules pi-agent '
  .. 'mini-swe-agent mini claude-flow ruflo letta hermes openclaw nanobot kimi iflow vibe '
  .. 'mistral-vibe qodo qodercli zencoder tabnine coderabbit refact blackbox'
local NAMES = {}
for name in AGENTS:gmatch('%S+') do
  NAMES[name] = true
end
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
local LOOKS = {
  ['--version'] = true, ['--help'] = true, ['-h'] = true, ['-v'] = true, ['-V'] = true,
  version = true, help = true, doctor = true, models = true, ['list-models'] = true,
}

-- @anthropic-ai/claude-code@latest and aider-chat are these programs as packages.
local function agent_of(word)
  local name = word:match('([^/]+)$') or word
  name = name:gsub('@[%w.^~-]*$', '')
  if word:find('^@openai/codex') or word:find('^@google/gemini%-cli')
    or word:find('^@anthropic%-ai/')
    or word:find('^@sourcegraph/amp') or word:find('^@qwen%-code/') or word:find('^@github/copilot')
    or word:find('^@charmland/crush') or name == 'aider-chat' or name == 'gemini-cli'
    or name == 'qwen-code' or name == 'claude.exe' or word:find('^@augmentcode/') then
    return name
  end
  return NAMES[name] and name or nil
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
    program = AGENTS .. ' python python3 python3.* *@* aider-chat gemini-cli qwen-code claude.exe',
    test = starts_agent,
    match = {
      'claude -p x', 'codex exec --full-auto x', 'gemini --yolo', 'aider --yes -m fix', 'amp -x x',
      'claude mcp add evil -- npx -y evil-server', 'npx -y @anthropic-ai/claude-code -p x',
      'echo x | claude -p', 'goose run -t x', 'cursor-agent -p --force x',
    },
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
    test = function(command)
      -- Options of programs that have nothing to do with agents.
      local other = {
        echo = true, printf = true, grep = true, rg = true, git = true, cat = true, man = true,
        ag = true, sed = true, awk = true, find = true, terraform = true, gh = true,
        composer = true, poetry = true, php = true,
      }
      return not other[command.program]
    end,
    match = { 'someagent --dangerously-skip-permissions x', 'newagent --yolo' },
    not_match = {
      "git commit -m '--yolo'", 'grep -- --yolo x', 'npm test', 'composer install --no-interaction',
      'php artisan migrate --no-interaction', 'poetry install --no-interaction',
    },
  },
  {
    id = 'agents.servers',
    decision = 'ask',
    reason = 'This gives an agent a server or an extension, whose tools no policy judges: let a '
      .. 'person add it.',
    program = {
      'mcp', 'fastmcp', 'smithery', 'mcp-cli', 'mcpm', 'mcp-*', 'inspector', '*mcp-install*',
      '@smithery', 'cli', 'add-mcp', 'mcp-remote', 'mcp-get', 'docker', 'code', 'cursor',
      'windsurf',
      'code-insiders', 'codium', 'zed', 'vscode-cli', 'gh', 'docker-mcp', 'skills',
      'openskills',
      'cli@latest', 'inspector@latest', 'mcp-remote@latest',
    },
    test = function(command)
      local first, second = command.argv[2] or '', command.argv[3] or ''
      local word = command.argv[1]
      local program = command.program:gsub('@.*$', '')
      if program == 'cli' or program == 'inspector' then
        return word:find('^@smithery/') ~= nil or word:find('^@modelcontextprotocol/') ~= nil
      end
      if program == 'docker' then
        return first == 'mcp' and second ~= 'ls' and second ~= 'list'
      end
      if program == 'gh' then
        return first == 'copilot' or first == 'agent-task' or first == 'models'
      end
      if program == 'code' or program == 'cursor' or program == 'windsurf' or program == 'codium'
        or program == 'code-insiders' or program == 'zed' then
        return table.concat(command.argv, ' '):find('%-%-add%-mcp') ~= nil or first == 'agent'
          or first == 'chat'
      end
      return not LOOKS[first] and first ~= 'list' and first ~= 'dev'
    end,
    match = {
      'fastmcp install server.py', 'mcp install x.py', 'npx @smithery/cli install x',
      "code --add-mcp '{}'", 'npx mcp-remote https://example.com', 'cursor agent x',
    },
    not_match = { 'code .', 'docker ps', 'gh pr list', 'mcp list' },
  },
}
