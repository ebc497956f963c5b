#!/usr/bin/env python3
"""Checks the form of the pages and the comments of this tree, in what git knows of it.

A page has no line over 160 characters, but for rows of tables, which cannot be broken; the README of a folder has at most
20 lines, and ARCHITECTURE.md at most 14 KB. Comments name the agent (CONTRIBUTING.md, "English"). Prints a line for each
fault, and exits with 1 if there is any. Run by `./dev lint`.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 160
README_LINES = 20
ARCHITECTURE_BYTES = 14 * 1024
FOLDERS = ('runtime/', 'bindings/', 'scripts/', 'policies/', 'tests/')
PAGES_OF_PACKAGES = ('bindings/python/README.md',)  # which people read where the package is published
WORDS = re.compile(r'\b(nobody|somebody|whoever|anybody)\b', re.IGNORECASE)
USER = re.compile(r'\b(as|user) nobody\b')  # the user of that name
TEXT = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''


def comments(form):
    """Finds comments of this form, and the texts in quotes that may look like one."""
    return re.compile(f'(?P<comment>{form})|{TEXT}', re.DOTALL | re.MULTILINE)


C, SHELL = comments(r'//[^\n]*|/\*.*?\*/'), comments(r'(?:^|(?<=\s))#[^\n]*')
COMMENTS = {'.cc': C, '.h': C, '.c': C, '.lua': comments(r'--[^\n]*'), '.sh': SHELL,
            '.py': comments(r'""".*?"""|(?:^|(?<=\s))#[^\n]*')}
NAMED = {'dev': SHELL, '.ci/run': SHELL}


def faults_of_page(name, text):
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > COLUMNS and not line.lstrip().startswith('|'):
            yield f'{name}:{number}: {len(line)} characters; at most {COLUMNS}'
    lines = len(text.splitlines())
    if name.startswith(FOLDERS) and name.endswith('/README.md') and name not in PAGES_OF_PACKAGES and lines > README_LINES:
        yield f'{name}: {lines} lines; at most {README_LINES}: say more at the head of the file that it is about'
    if name == 'ARCHITECTURE.md' and len(text.encode()) > ARCHITECTURE_BYTES:
        yield f'{name}: {len(text.encode()):,} bytes; at most {ARCHITECTURE_BYTES:,}'


def faults_of_comments(name, text, form):
    for match in form.finditer(text):
        for word in WORDS.finditer(USER.sub('', match['comment'] or '')):
            number = text.count('\n', 0, match.start()) + 1
            yield f'{name}:{number}: "{word[0]}" in a comment: name the host, the caller, the process'


def main():
    listed = subprocess.run(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.splitlines()
    faults = []
    for name in filter(lambda each: (ROOT / each).is_file(), sorted(set(listed))):
        path = ROOT / name
        if path.suffix == '.md':
            faults.extend(faults_of_page(name, path.read_text(encoding='utf-8')))
        elif form := NAMED.get(name) or COMMENTS.get(path.suffix):
            faults.extend(faults_of_comments(name, path.read_text(encoding='utf-8'), form))
    print('\n'.join(faults), end='\n' if faults else '')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
