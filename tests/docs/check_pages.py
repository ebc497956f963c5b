#!/usr/bin/env python3
"""Checks the Markdown of the tree.

    check_pages.py ROOT

README.md keeps to its size, every relative link leads to a file and, where it names one, to a heading, every path in
code such as `runtime/wait/wait.h` exists, every command such as `./dev install` is in `./dev help`, and every page of
docs/ is in the index of its folder, README.md. Prints each fault and exits with 1 when there are any.
"""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

README_LINES = 130
README_COLUMNS = 160
LINK = re.compile(r'\]\(([^()\s]+(?:\([^()]*\))?)(?:\s+"[^"]*")?\)|(?:src|srcset|href)="([^"]+)"')
PATH = re.compile(r'`((?:bindings|docs|examples|policies|runtime|scripts|tests)/[\w./-]*)`')
DEV_COMMAND = re.compile(r'\./dev ([a-z]+)')
DEV_HELP = re.compile(r'^  ([a-z]+)\b', re.MULTILINE)
FENCE = re.compile(r'^(```|~~~).*?^\1`*\s*$', re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r'(`+)(?!`).+?(?<!`)\1(?!`)')
HEADING = re.compile(r'^#{1,6} (.+?)#*\s*$', re.MULTILINE)
ANCHOR = re.compile(r'<a (?:id|name)="([^"]+)"')


def pages_of(root):
    """The Markdown files of the tree, new ones included, without what git ignores."""
    listed = subprocess.run(['git', 'ls-files', '--cached', '--others', '--exclude-standard', '*.md'], cwd=root,
                            stdout=subprocess.PIPE, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        paths = [root / name for name in listed.stdout.splitlines()]
    else:  # an exported tree
        paths = [path for path in root.rglob('*.md')
                 if not {'build', 'node_modules', '.git'} & set(path.relative_to(root).parts)]
    return sorted(path for path in paths if path.is_file())


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading).strip().lower()
    return re.sub(r'[^\w\- ]', '', text.replace('`', '')).replace(' ', '-')


def anchors_of(page, known={}):
    if page not in known:
        text = page.read_text(encoding='utf-8')
        counted = {}
        found = set(ANCHOR.findall(text))
        for heading in HEADING.findall(FENCE.sub('', text)):
            name = slug(heading)
            counted[name] = counted.get(name, -1) + 1
            found.add(name if counted[name] == 0 else f'{name}-{counted[name]}')
        known[page] = found
    return known[page]


def faults_of_links(page, root):
    text = INLINE_CODE.sub('', FENCE.sub('', page.read_text(encoding='utf-8')))
    for groups in LINK.findall(text):
        link = next(group for group in groups if group)
        if re.match(r'[a-z][a-z+.-]*:', link):
            continue
        path, _, anchor = link.partition('#')
        target = (page.parent / unquote(path)).resolve() if path else page
        if not target.exists():
            yield f'{page.relative_to(root)}: no file at {link}'
        elif not target.is_relative_to(root):
            yield f'{page.relative_to(root)}: {link} leaves the tree'
        elif anchor and target.suffix == '.md' and anchor not in anchors_of(target):
            yield f'{page.relative_to(root)}: no heading at {link}'


def faults_of_paths(page, root):
    text = FENCE.sub('', page.read_text(encoding='utf-8'))
    for path in sorted(set(PATH.findall(text))):
        if not (root / path).exists() and not (page.parent / path).exists():
            yield f'{page.relative_to(root)}: there is no {path}'


def faults_of_dev(page, root, known=[]):
    if not known:
        known += DEV_HELP.findall(subprocess.run([root / 'dev', 'help'], stdout=subprocess.PIPE, text=True,
                                                 check=True).stdout)
    for name in sorted(set(DEV_COMMAND.findall(page.read_text(encoding='utf-8'))) - set(known)):
        yield f'{page.relative_to(root)}: there is no ./dev {name}'


def faults_of_readme(root):
    lines = (root / 'README.md').read_text(encoding='utf-8').splitlines()
    if len(lines) > README_LINES:
        yield f'README.md: {len(lines)} lines, at most {README_LINES}; move details to docs/'
    for number, line in enumerate(lines, 1):
        if len(line) > README_COLUMNS:
            yield f'README.md:{number}: {len(line)} columns, at most {README_COLUMNS}'


def faults_of_index(root):
    for index in sorted((root / 'docs').rglob('README.md')):
        text, folder = index.read_text(encoding='utf-8'), index.parent
        pages = [page.name for page in folder.glob('*.md') if page != index]
        pages += [f'{page.parent.name}/README.md' for page in folder.glob('*/README.md')]
        for page in sorted(pages):
            if f']({page}' not in text:
                yield f'{index.relative_to(root)}: {page} is not in the index'
    for folder in sorted({page.parent for page in (root / 'docs').rglob('*.md')}):
        if not (folder / 'README.md').is_file():
            yield f'{folder.relative_to(root)}: no README.md as the index'


def main():
    root = Path(sys.argv[1]).resolve()
    pages = pages_of(root)
    faults = [*faults_of_readme(root), *faults_of_index(root)]
    for page in pages:
        faults += [*faults_of_links(page, root), *faults_of_paths(page, root), *faults_of_dev(page, root)]
    for fault in faults:
        print(fault)
    print(f'{len(pages)} pages, {len(faults)} faults')
    return 1 if faults or not pages else 0


if __name__ == '__main__':
    sys.exit(main())
