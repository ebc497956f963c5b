-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'agents: asked about',
    ask = {
      'gh copilot suggest x', 'npx @modelcontextprotocol/inspector node x.js',
      'fastmcp install server.py', 'npx @smithery/cli install x --client claude',
      'gh copilot suggest -t shell x', 'claude --dangerously-skip-permissions',
      "claude -p 'fix the bug' --dangerously-skip-permissions",
      'claude --permission-mode bypassPermissions -p x',
      "claude -p 'do it' --allowedTools 'Bash(*)'", 'claude mcp add evil -- npx -y evil-server',
      'claude mcp add --transport http x https://example.com/mcp',
      'claude mcp add-json x \'{"command":"sh"}\'', "sudo -u bob claude -p 'x'",
      "env ANTHROPIC_API_KEY=x claude --print 'x'", "timeout 60 codex exec 'x'",
      "tmux new -d 'gemini -y'", "npx --yes @google/gemini-cli -p 'x'",
      'bunx @sourcegraph/amp -x y', "claude -p 'do it' --dangerously-skip-permissions",
      'gemini -y -p x', 'droid exec --auto high x', 'gemini --approval-mode=yolo -p x',
      'screen -dmS a codex --yolo', 'npx -y @openai/codex exec --full-auto x',
      'code --add-mcp \'{"name":"x","command":"sh"}\'', 'atlas schema apply -u x --auto-approve',
      "cursor --add-mcp '{}'", 'deno run --allow-all npm:x',
    },
  },
}
