#!/usr/bin/env python3
"""Checks that the picture of a terminal can still be made from a real run.

    check_picture.py SCRIPT GIBBOUS

Both themes must be well-formed SVG, hold the calls with their answers, and fit their frame.
"""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

LIMIT_S = 120
TEXTS = ['bg_start', 'wait_for', 'is listening on', 'was denied', 'gibbous ps', 'running', 'SIGKILL ended it']


def faults_of(picture):
    root = ElementTree.parse(picture).getroot()
    width, height = (float(root.get(name)) for name in ('width', 'height'))
    texts = root.findall('{http://www.w3.org/2000/svg}text')
    shown = '\n'.join(text.text for text in texts)
    faults = [f'{picture.name} does not show {text!r}' for text in TEXTS if text not in shown]
    for text in texts:
        if float(text.get('x')) + float(text.get('textLength')) > width or float(text.get('y')) > height:
            faults.append(f'{picture.name}: {text.text!r} leaves the frame')
    return faults


def main():
    script, gibbous = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([sys.executable, script, gibbous, directory], stdout=subprocess.DEVNULL, timeout=LIMIT_S,
                       check=True)
        faults = [fault for name in ('light', 'dark') for fault in faults_of(Path(directory) / f'terminal_{name}.svg')]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
