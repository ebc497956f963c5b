#!/usr/bin/env python3
"""Prints the tests that failed or did not run, each with the end of its output.

Usage: ctest_failures.py RESULTS.xml (what `ctest --output-junit` wrote)
"""
import sys
import xml.etree.ElementTree as xml

EXCERPT_CHARACTERS = 4_000

for test in xml.parse(sys.argv[1]).iter('testcase'):
    status = test.get('status')
    if status != 'run':
        print(f"{test.get('name')}: {'failed' if status == 'fail' else status}")
        print((test.findtext('system-out') or '')[-EXCERPT_CHARACTERS:])
