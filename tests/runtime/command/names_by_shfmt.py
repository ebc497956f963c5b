#!/usr/bin/env python3
"""Writes the names of commands that shfmt (mvdan/sh, Debian: shfmt) finds into snippets.txt.

For people who change snippets.txt, by hand: names_by_shfmt.py < snippets.txt > new
"""
import json
import subprocess
import sys


def unescape(text):
    out, skip = '', False
    for char in text:
        if char == '\\' and not skip:
            skip = True
        else:
            out += '' if skip and char == '\n' else char
            skip = False
    return out


def literal(word):
    """The text of a word, or None when that needs more than taking quotes away."""
    text = ''
    for part in word.get('Parts', []):
        kind = part.get('Type')
        if kind == 'Lit':
            text += unescape(part['Value'])
        elif kind == 'SglQuoted' and not part.get('Dollar'):
            text += part.get('Value', '')
        elif kind == 'DblQuoted':
            for inner in part.get('Parts') or []:
                if inner.get('Type') != 'Lit' or '\\' in inner['Value']:
                    return None
                text += inner['Value']
        else:
            return None
    return text


def names(tree, found):
    if isinstance(tree, dict):
        kind = tree.get('Type')
        if kind == 'CallExpr' and tree.get('Args'):
            found.append(literal(tree['Args'][0]))
        elif kind == 'DeclClause':
            found.append(tree['Variant']['Value'])
        elif kind == 'LetClause':
            found.append('let')
        for value in tree.values():
            names(value, found)
    elif isinstance(tree, list):
        for value in tree:
            names(value, found)


def main():
    for line in sys.stdin:
        line = line.rstrip('\n')
        if line.startswith(('= ', '=', '~ ')) and not line.startswith('=('):
            kept = line if line.startswith('~ ') else None
            if kept:
                print(kept)
            continue
        print(line)
        if line.startswith('%') or not line:
            continue
        run = subprocess.run(['shfmt', '--tojson', '-ln=bash'], input=line.replace('␤', '\n'),
                             capture_output=True, text=True, check=False)
        if run.returncode == 0:
            found = []
            names(json.loads(run.stdout), found)
            print('=', ' '.join(n for n in found if n and ' ' not in n))


if __name__ == '__main__':
    main()
