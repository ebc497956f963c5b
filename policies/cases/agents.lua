-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'agents: asked about',
    ask = {
      'gh copilot suggest x', 'npx @modelcontextprotocol/inspector node x.js',
      'fastmcp install server.py', 'npx @smithery/cli install x --client claude',
      'gh copilot suggest -t shell x', "claude -p 'do it' --allowedTools 'Bash(*)'",
      'claude mcp add evil -- npx -y evil-server',
      'claude mcp add --transport http x https://example.com/mcp',
      'claude mcp add-json x \'{"command":"sh"}\'', "timeout 60 codex exec 'x'",
      "claude -p 'do it' --dangerously-skip-permissions", 'droid exec --auto high x',
      'gemini --approval-mode=yolo -p x', 'code --add-mcp \'{"name":"x","command":"sh"}\'',
      'atlas schema apply -u x --auto-approve', "cursor --add-mcp '{}'", 'amp -x x',
      'echo x | claude -p', 'goose run -t x', 'cursor-agent -p --force x',
    },
  },
}
