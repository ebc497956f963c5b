-- Gibbous's own files: what it remembers (output of all sessions, decisions, approvals), its
-- configuration, its scripts and its policies. Whoever can write there decides for itself.
return {
  {
    id = 'own.change',
    decision = 'deny',
    reason = 'Gibbous keeps its records, approvals, policies or configuration there, which no '
      .. 'command of an agent may change: ask a person to do it.',
    access = 'write remove permission',
    path = 'own_state own_rules',
    not_path = 'home system_root holds_workspace workspace_root',
    remote = false,
    match = {
      'echo x >> ~/.local/state/gibbous/approvals.jsonl', 'rm -rf ~/.local/state/gibbous',
      "sqlite3 ~/.local/state/gibbous/sessions.db 'delete from runs'",
      'cp evil.lua ~/.config/gibbous/policies/init.lua', 'sed -i s/deny/allow/ ~/.config/gibbous/x',
    },
    not_match = { 'echo x > notes.txt', 'rm -rf ~/.local/state/other' },
  },
  {
    id = 'own.read',
    decision = 'ask',
    reason = 'What other sessions have printed, and what was decided about them, is kept there: '
      .. 'use the tools that show your own runs.',
    access = 'read execute',
    path = 'own_state',
    not_path = 'home system_root holds_workspace workspace_root',
    remote = false,
    match = {
      'cat ~/.local/state/gibbous/decisions.jsonl', 'cp -r ~/.local/state/gibbous copy',
    },
    not_match = { 'cat ~/.local/state/other', 'cat README.md' },
  },
}
