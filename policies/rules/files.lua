-- Files outside the workspace, files that other programs execute, and paths that are not known in
-- advance. Files inside the workspace and in /tmp are free.

-- Options with which find and the like narrow a removal down.
local FILTERS = '-name -iname -path -ipath -wholename -regex -iregex -size -mtime -mmin -atime '
  .. '-ctime -newer -empty -user -perm'

-- ./$X and $PWD/$X mean everything when $X is empty.
local function may_be_all(command)
  for _, access in ipairs(command.accesses) do
    if access.access == 'remove' and access.path == command.cwd and access.written:find('/%$') then
      return true
    end
  end
  return false
end

return {
  {
    id = 'files.startup',
    decision = 'deny',
    reason = 'Programs execute this file whenever they start: put settings into the workspace, or '
      .. 'ask a person.',
    access = 'write remove permission',
    path = 'startup',
    remote = false,
    match = { 'echo "alias ls=rm" >> ~/.bashrc', 'cp x.service ~/.config/systemd/user/' },
    not_match = { 'cat ~/.bashrc', 'echo x > notes.txt' },
  },
  {
    id = 'files.awk_in_place',
    decision = 'deny',
    reason = 'This is a part of the system, or a file that programs execute: change a copy in the '
      .. 'workspace.',
    program = 'awk gawk',
    flags = '-i --include',
    argument = { '*inplace*' },
    access = 'read',
    path = 'startup system credential device',
    remote = false,
    match = { "gawk -i inplace '{ print }' /etc/hosts", 'awk -i inplace 1 ~/.bashrc' },
    not_match = { 'gawk -i inplace 1 x', 'awk 1 /etc/hosts' },
  },
  {
    id = 'files.patch_system',
    decision = 'deny',
    reason = 'This would change the system or what programs execute: patch files of the workspace.',
    program = 'patch git',
    flags = '-d --directory',
    access = 'enter',
    path = 'system system_root home startup credential',
    not_path = 'temp',
    test = function(command)
      return command.program ~= 'git' or command.subcommand == 'apply'
        or command.subcommand == 'am'
    end,
    match = { 'patch -d /etc -p1 < x', 'git apply --directory=/ x.patch' },
    not_match = { 'patch -d src -p1 < x', 'git apply --directory=src x.patch' },
  },
  {
    id = 'files.startup_in_place',
    decision = 'deny',
    reason = 'Programs execute this file whenever they start: put settings into the workspace, or '
      .. 'ask a person.',
    program = 'sed perl ruby',
    flags = '-i --in-place',
    access = 'read',
    path = 'startup system credential device',
    remote = false,
    match = { 'sed -i -e s/a/b/ ~/.zshrc', 'perl -pi -e s/a/b/ /etc/hosts' },
    not_match = { 'sed -i -e s/a/b/ x.txt', 'sed -n -e 1p /etc/hosts' },
  },
  {
    id = 'files.system',
    decision = 'deny',
    reason = 'This is a part of the system, which no command of an agent changes: write into the '
      .. 'workspace, or ask a person.',
    access = 'write remove',
    path = 'system system_root',
    not_path = 'temp harmless_device package_cache',
    remote = false,
    match = { 'echo x > /etc/hosts', 'rm /usr/bin/python3', 'cp tool /usr/local/bin/' },
    not_match = { 'cat /etc/hosts', 'echo x > etc/hosts', 'cp /etc/hosts .', 'make > /tmp/log' },
  },
  {
    id = 'files.socket',
    decision = 'deny',
    reason = 'A program with more rights obeys this socket: use the command that is made for it.',
    access = 'read write remove permission',
    path = 'socket',
    remote = false,
    match = { 'curl --unix-socket /var/run/docker.sock http://x/containers/json' },
    not_match = { 'ls /var/run', 'docker ps' },
  },
  {
    id = 'files.unpack_system',
    decision = 'deny',
    reason = 'Unpacking there would overwrite the system: unpack into the workspace.',
    program = 'tar gtar bsdtar cpio',
    argument = { 're:-?[a-zA-Z]*x[a-zA-Z]*', '--extract', '--get', '-i', 're:-[a-z]*i[a-z]*' },
    access = 'enter',
    path = 'system system_root home startup credential',
    not_path = 'temp',
    match = { 'tar xzf x.tgz -C /', 'tar xf x.tar -C /etc', 'cd / && cpio -i -D /etc' },
    not_match = { 'tar xzf x.tgz -C vendor', 'tar tzf x.tgz' },
  },
  {
    id = 'files.outside',
    decision = 'ask',
    reason = 'This is outside of the workspace: write into the workspace or /tmp, or let a '
      .. 'person approve it.',
    access = 'write remove permission',
    path = 'outside',
    not_path = 'temp harmless_device package_cache settings',
    remote = false,
    match = { 'echo x > ~/notes.txt', 'cp a ../other/a', 'mkdir -p ~/tool', 'mv x ..' },
    not_match = { 'echo x > a', 'cp ~/x .', 'touch /tmp/x', 'ls > /dev/null' },
  },
  {
    -- A sandbox has them in a layer, and then this rule does not ask (matrix.lua).
    id = 'files.settings',
    decision = 'ask',
    reason = 'Programs outside of the workspace have these settings: keep yours in the workspace, '
      .. 'or let a person approve it.',
    access = 'write remove permission',
    path = 'settings',
    not_path = 'package_cache',
    remote = false,
    match = { 'mkdir -p ~/.config/tool', 'echo x > ~/.local/share/tool/x', 'rm ~/.config/tool/x' },
    not_match = { 'cat ~/.config/tool/x', 'mkdir ~/tool', 'touch ~/.cache/pip/x' },
  },
  {
    id = 'files.outside_in_place',
    decision = 'ask',
    reason = 'This is outside of the workspace, or editors, git or agents obey it: change a copy '
      .. 'in the workspace, or let a person approve it.',
    program = 'sed perl ruby',
    flags = '-i --in-place',
    access = 'read',
    path = 'outside protected',
    not_path = 'temp',
    remote = false,
    match = { 'sed -i -e s/a/b/ ~/x', 'sed -i -e s/a/b/ .vscode/settings.json' },
    not_match = { 'sed -i -e s/a/b/ x', 'sed -e s/a/b/ ~/x' },
  },
  {
    id = 'files.all_of_temp',
    decision = 'ask',
    reason = 'Others have files in there, too: name your own.',
    access = 'remove permission',
    path = 'temp_root',
    not_path = 'partly_known',
    match = { 'rm -rf /tmp', 'rm -rf /tmp/*', 'chmod -R 777 /tmp' },
    not_match = { 'rm -rf /tmp/build.1', 'rm -f /tmp/x.log' },
  },
  {
    id = 'files.all_of_workspace',
    decision = 'ask',
    reason = 'This removes everything in the workspace: name the files and directories that are '
      .. 'to go.',
    access = 'remove',
    path = 'workspace_root',
    without_flags = FILTERS,
    match = {
      'rm -rf .', 'rm *', 'rm -rf "$PWD"', 'find . -delete', 'truncate -s 0 *',
      'git ls-files | xargs rm', 'for f in $(find .); do rm "$f"; done',
    },
    not_match = {
      'rm -rf dist', 'rm -f *.log', "find . -name '*.pyc' -delete",
      "git ls-files '*.orig' | xargs rm", 'ls *.log | xargs rm',
    },
  },
  {
    id = 'files.all_that_is_found',
    decision = 'ask',
    reason = 'This removes everything that is found: narrow it down with -name, or name the files.',
    program = 'find fd fdfind',
    feeds = { 'rm', 'shred', 'unlink', 'rmdir' },
    access = 'enter',
    path = 'workspace_root',
    without_flags = FILTERS .. ' -e --extension -g --glob',
    match = { 'find . | xargs rm -rf', 'find . -type f -print0 | xargs -0 rm' },
    not_match = { "find . -name '*.o' | xargs rm", 'find build | xargs rm -rf' },
  },
  {
    id = 'files.found_by_fd',
    decision = 'ask',
    reason = 'This removes everything that is found: name the files.',
    program = 'rm shred unlink rmdir',
    within = { 'fd -*', 'fdfind -*' },
    match = { 'fd . / -x rm -rf', 'fd -e o -X rm' },
    not_match = { 'fd -e o' },
  },
  {
    id = 'files.repository',
    decision = 'ask',
    reason = 'This holds the history of the project, without which nothing can be brought back: '
      .. 'leave it.',
    access = 'remove write permission',
    path = 'repository',
    remote = false,
    match = { 'rm -rf .git', 'mv .git /tmp/git', 'rm -rf .git/objects' },
    not_match = { 'rm .git/index.lock', 'git gc', 'rm -rf .github' },
  },
  {
    id = 'files.protected',
    decision = 'ask',
    reason = 'Editors, git or agents obey this file: show the person what is to be in it.',
    access = 'write remove permission',
    path = 'protected',
    remote = false,
    match = { 'echo x > .git/hooks/pre-commit', 'cp hook .git/hooks/', 'rm -rf .claude' },
    not_match = { 'cat .git/config', 'echo x > src/hooks.ts', 'rm .git/index.lock' },
  },
  {
    id = 'files.remove_unknown_trees',
    decision = 'ask',
    reason = 'Which directory this removes is only known when it runs: write its name.',
    access = 'remove permission',
    path = 'unknown',
    recursive = true,
    match = { 'rm -rf "$DIR"', 'rm -rf $(cat list)', 'chmod -R 777 "$X"', 'rm -rf ${X:-/}' },
    not_match = { 'D=build; rm -rf "$D"', 'rm -rf dist' },
  },
  {
    id = 'files.remove_perhaps_all',
    decision = 'ask',
    reason = 'When this variable is empty, everything in the directory goes: write the name.',
    access = 'remove',
    path = 'partly_known',
    recursive = true,
    test = may_be_all,
    match = { 'rm -rf ./"$X"', 'rm -rf "$PWD/$X"' },
    not_match = { 'rm -rf build/*', 'rm -rf dist/"$X"', 'rm -rf build-*' },
  },
  {
    id = 'files.remove_unknown',
    decision = 'ask',
    reason = 'Which file this removes or changes is only known when it runs: write its name.',
    access = 'remove permission',
    path = 'unknown',
    recursive = false,
    remote = false,
    match = { 'rm -f "$FILE"', 'chmod +x "$X"', 'cat list | xargs rm' },
    not_match = { 'for f in *.log; do rm -f "$f"; done', "find . -name '*.o' | xargs rm -f" },
  },
}
