#!/usr/bin/env python3
"""Checks that the arrows between the layers point one way (ARCHITECTURE.md, "The layers").

Reads every #include below runtime/ and bindings/ and compares it with the tables here, which are the rule
in a form that a program can check. Prints one line for each offence and exits with 1 if there is any.
Run by a CTest and by `./dev lint`:

    check_layers.py [ROOT]
"""

import re
import sys
from pathlib import Path

# Which folders of ours a folder may include, besides itself and the public headers.
RUNTIME = ['runtime/base', 'runtime/paths', 'runtime/sandbox', 'runtime/process', 'runtime/network', 'runtime/keeper', 'runtime/output', 'runtime/command',
           'runtime/rules', 'runtime/audit', 'runtime/trust', 'runtime/runs', 'runtime/watch', 'runtime/wait',
           'runtime/journal', 'runtime/recording', 'runtime/queue', 'runtime/terminal', 'runtime/supervise']
# The rooms of the Lua engine, and which of the others each may include.
LUA_ROOMS = {
    'vm': [],
    'check': ['vm'],
    'source': ['vm'],
    'policy': ['vm', 'check', 'source'],
    'load': ['vm', 'check', 'source', 'policy'],
    'call': ['vm', 'check', 'source', 'policy', 'load'],
    'executor': ['vm', 'check', 'load', 'call'],
    'api': ['vm', 'check', 'policy', 'load', 'call', 'executor'],
}
FRONT_END = ['runtime/base', 'bindings/stdio', 'bindings/json']
MAY_INCLUDE = {
    'runtime/include/gibbous': [],
    'bindings/include': [],
    'bindings/include/gibbous': [],
    'runtime/base': [],
    'runtime/paths': ['runtime/base'],
    'runtime/sandbox': ['runtime/base', 'runtime/paths'],
    'runtime/process': ['runtime/base', 'runtime/paths', 'runtime/sandbox'],
    'runtime/network': ['runtime/base', 'runtime/process'],
    'runtime/keeper': ['runtime/base', 'runtime/paths', 'runtime/sandbox', 'runtime/process', 'runtime/network'],
    'runtime/output': ['runtime/base'],
    'runtime/command': ['runtime/base'],
    'runtime/rules': ['runtime/base', 'runtime/command'],
    'runtime/audit': ['runtime/base', 'runtime/output'],
    'runtime/trust': ['runtime/base'],
    'runtime/journal': ['runtime/base'],
    'runtime/terminal': ['runtime/base', 'runtime/process', 'runtime/output'],
    'runtime/runs': ['runtime/base', 'runtime/paths', 'runtime/sandbox', 'runtime/process', 'runtime/keeper', 'runtime/output',
                     'runtime/terminal'],
    'runtime/recording': ['runtime/base', 'runtime/paths', 'runtime/process', 'runtime/output', 'runtime/runs', 'runtime/journal'],
    'runtime/queue': ['runtime/base', 'runtime/process', 'runtime/keeper', 'runtime/runs', 'runtime/journal', 'runtime/recording'],
    'runtime/watch': ['runtime/base', 'runtime/output', 'runtime/process', 'runtime/runs', 'runtime/terminal'],
    'runtime/wait': ['runtime/base', 'runtime/paths', 'runtime/output', 'runtime/process', 'runtime/runs', 'runtime/terminal'],
    'runtime/supervise': ['runtime/base', 'runtime/output', 'runtime/runs', 'runtime/wait'],
    'bindings/json': [],
    **{f'bindings/lua/{room}': RUNTIME + ['bindings/json'] + [f'bindings/lua/{each}' for each in below]
       for room, below in LUA_ROOMS.items()},
    'bindings/host': RUNTIME + ['bindings/json'] + [f'bindings/lua/{room}' for room in LUA_ROOMS],
    # Front ends use only gibbous::Runtime, which is public.
    'bindings/stdio': ['runtime/base', 'bindings/json'],
    'bindings/c': FRONT_END,
    'bindings/mcp': FRONT_END,
    # It refuses connections of runs, by their processes.
    'bindings/mcp/http': FRONT_END + ['runtime/process', 'bindings/mcp'],
    'bindings/module': FRONT_END,
    'bindings/python': FRONT_END,
    # What people see of the journal, which a process reads that has no runtime: records and output
    # from the journal, costs from /proc, secrets redacted; of the facade only where the state
    # directory is.
    'bindings/inspect': FRONT_END + ['runtime/audit', 'runtime/terminal', 'runtime/journal', 'runtime/process', 'runtime/output', 'bindings/host'],
    'bindings/inspect/report': FRONT_END + ['runtime/journal', 'runtime/output', 'bindings/inspect'],
    'bindings/inspect/top': FRONT_END + ['runtime/journal', 'runtime/output', 'bindings/inspect'],
    # The command is also what starts the MCP server, and what prints the journal.
    'bindings/cli': FRONT_END + ['bindings/mcp', 'bindings/mcp/http', 'bindings/inspect', 'bindings/inspect/report',
                                   'bindings/inspect/top',
                                   'runtime/journal', 'runtime/process'],
}

LUA_HEADERS = r'(lua|lauxlib|lualib|luajit|luaconf)\.h(pp)?|lua\.hpp|luajit-.*'
# Which folders may include a library's headers; in all others it is an offence.
LIBRARIES = {
    'Lua': (LUA_HEADERS, ['bindings/lua', 'bindings/module']),
    'nlohmann/json': (r'nlohmann/.*', ['bindings/json']),
    'libuv': (r'uv\.h|uv/.*', ['runtime/keeper', 'runtime/output', 'runtime/runs', 'runtime/wait',
                               'runtime/watch', 'runtime/recording', 'runtime/queue', 'bindings/lua', 'bindings/host']),
    'RE2': (r're2/.*', ['runtime/output', 'runtime/watch', 'runtime/wait', 'runtime/command', 'runtime/rules', 'runtime/audit',
                          'bindings/lua']),
    'libseccomp': (r'seccomp\.h', ['runtime/sandbox']),
    'libvterm': (r'vterm.*\.h', ['runtime/terminal']),
    'SQLite': (r'sqlite3\.h', ['runtime/journal']),
    'CLI11': (r'CLI/.*', ['bindings/cli']),
    'http-parser': (r'http_parser\.h', ['bindings/mcp/http']),
}

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')
SOURCES = {'.cc', '.h', '.c', '.hpp', '.cpp'}
PUBLIC = 'gibbous/'


def includes(path):
    """Yields (line number, what is included) of one file."""
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def check_include(folder, included):
    """Returns what is wrong with `folder` including this header, or None."""
    for library, (pattern, folders) in LIBRARIES.items():
        known = any(folder == each or folder.startswith(each + '/') for each in folders)
        if re.fullmatch(pattern, included) and not known:
            return f'{folder} must not know of {library}: <{included}>'
    if not included.startswith(('runtime/', 'bindings/', 'tests/', 'examples/')):
        return None
    target = str(Path(included).parent)
    if target == folder or target in MAY_INCLUDE[folder]:
        return None
    return f'{folder} must not include {target}: "{included}"'


def check_public_header(included):
    """The public headers include nothing of the implementation."""
    is_standard = '/' not in included and ('.' not in included or included in ('stddef.h', 'stdint.h'))
    if is_standard or included.startswith(PUBLIC):
        return None
    return f'a public header includes only public and standard headers, not {included}'


def check_folder(root, folder):
    """Yields the offences of one folder's files."""
    public = folder.endswith(('include', 'include/gibbous'))
    if not public and not (root / folder / 'README.md').is_file():
        yield f'{folder}: has no README.md'
    for path in sorted((root / folder).iterdir()):
        if path.suffix not in SOURCES:
            continue
        for number, included in includes(path):
            offence = check_public_header(included) if public else check_include(folder, included)
            if offence:
                yield f'{path.relative_to(root)}:{number}: {offence}'


def folders_with_sources(root):
    """The folders below runtime/ and bindings/ that hold sources."""
    found = set()
    for top in ('runtime', 'bindings'):
        for path in (root / top).rglob('*'):
            if path.suffix in SOURCES:
                found.add(str(path.parent.relative_to(root)))
    return sorted(found)


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    offences = []
    for folder in folders_with_sources(root):
        if folder in MAY_INCLUDE:
            offences.extend(check_folder(root, folder))
        else:
            offences.append(f'{folder}: unknown folder; say in tests/layers/check_layers.py what it may include')
    for offence in offences:
        print(offence)
    return 1 if offences else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
