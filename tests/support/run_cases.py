#!/usr/bin/env python3
"""Runs the test cases of Catch2 programs, many to a process, and several processes at a time.

Usage: run_cases.py BUILD_DIRECTORY [--jobs N] [--programs REGEX]

A sanitized program takes 0.1 s to start, which most cases do not take themselves, so that a process for each of 2,000
cases would spend minutes on starting. ctest still runs single cases (./dev test -R ...). A case that crashes or
hangs fails by name, and the cases after it in the same process run in another one. The last line is
`cases PASSED FAILED`; the exit code is 1 when a case failed. BUILD_DIRECTORY/failures.log keeps what failed.
"""
import argparse
import concurrent.futures
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES_PER_PROCESS = 12
CASE_SECONDS = 120
SILENT_SECONDS = 300  # without a case that ends: several times what the slowest takes on a busy machine
EXCERPT_CHARACTERS = 4_000
SECONDS_TO_END = 20


def cases_of(program):
    listed = subprocess.run([program, '--list-test-names-only'], capture_output=True, text=True, check=False)
    return [line for line in listed.stdout.splitlines() if line.strip()]


def chunks_of(program):
    """Neighbours in a file often take equally long, so they go to different processes."""
    cases = cases_of(program)
    count = -(-len(cases) // CASES_PER_PROCESS)
    return [cases[first::count] for first in range(count)]


def side_by_side(programs):
    """The chunks of all programs as [(program, cases)]. Some programs compute, and others wait: run one after the
    other, the former would share the processors, and the latter leave them idle."""
    chunks = []
    for program in programs:
        own = chunks_of(program)
        chunks += [(number / len(own), program, cases) for number, cases in enumerate(own)]
    return [chunk[1:] for chunk in sorted(chunks, key=lambda chunk: chunk[0])]


def reported(report):
    """The cases of a report with their failures; a report that ends early lacks the case that was running."""
    found, name, failed = {}, None, False
    try:
        for event, element in xml.iterparse(report, events=('start', 'end')):
            if element.tag == 'TestCase' and event == 'start':
                name = element.get('name')
            elif element.tag == 'OverallResult' and event == 'end' and name is not None:
                failed = element.get('success') != 'true'
                found[name.strip()] = failed
    except xml.ParseError:
        pass
    return found


def run_chunk(program, cases):
    """Returns [(case, failed, output)] for every case."""
    results, left = [], list(cases)
    while left:
        with tempfile.TemporaryDirectory(prefix='gibbous-cases-') as directory:
            names, report = Path(directory, 'names'), Path(directory, 'report.xml')
            names.write_text(''.join(re.sub(r'[\\,[\]]', r'\\\g<0>', case) + '\n' for case in left), encoding='utf-8')
            command = [program, '--input-file', names, '--reporter', 'xml', '--out', report]
            output, ending = run(command, CASE_SECONDS * len(left), report)
            found = reported(report)
            text = report.read_text(encoding='utf-8', errors='replace') if report.exists() else ''
        done = [case for case in left if case.strip() in found]
        for case in done:
            failed = found[case.strip()]
            results.append((case, failed, failure_text(text, case) + output if failed else ''))
        left = [case for case in left if case not in done]
        if left:
            results.append((left.pop(0), True, f'{ending}\n{text[-2000:]}\n{output}'))
    return results


def run(command, seconds, report):
    with tempfile.TemporaryFile() as log:
        program = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   env={**os.environ, 'GIBBOUS_SOURCE_DIR': str(ROOT)})
        ending = waited_for(program, seconds, report)
        log.seek(0)
        return log.read()[-20_000:].decode(errors='replace'), ending


def waited_for(program, seconds, report):
    """Waits for the end of a program, and ends it when it takes too long, or when its report does not grow."""
    begun = grown = time.monotonic()
    size = 0
    while True:
        try:
            return f'it ended with status {program.wait(5)} within this case'
        except subprocess.TimeoutExpired:
            pass
        now = time.monotonic()
        written = report.stat().st_size if report.exists() else 0
        if written != size:
            size, grown = written, now
        if now - begun > seconds or now - grown > SILENT_SECONDS:
            state = processes_below(program.pid)
            program.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):  # a thread in a dead file system of its own stays
                program.wait(SECONDS_TO_END)
            return f'it took {now - begun:.0f} s, {now - grown:.0f} of them without a case that ended\n{state}'


def processes_below(pid):
    """What the program and its descendants are, and what they wait for."""
    listed = subprocess.run(['ps', '-eo', 'pid,ppid,stat,wchan:24,etimes,args'], capture_output=True, text=True,
                            check=False).stdout.splitlines()
    below, lines = {pid}, []
    for line in listed[1:]:  # parents come before their children, but for numbers that began again
        fields = line.split(None, 5)
        if int(fields[0]) in below or int(fields[1]) in below:
            below.add(int(fields[0]))
            lines.append(line[:200])
    return '\n'.join(lines)


def failure_text(text, case):
    try:
        for element in xml.fromstring(text).iter('TestCase'):
            if element.get('name').strip() == case.strip():
                return xml.tostring(element, encoding='unicode')[:20_000]
    except xml.ParseError:
        pass
    return ''


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=Path)
    parser.add_argument('--jobs', type=int, default=(os.cpu_count() or 1) + 2)
    parser.add_argument('--programs', default='')
    options = parser.parse_args()
    begun, passed, failed = time.monotonic(), 0, 0
    failures = options.build / 'failures.log'
    failures.write_text('')
    programs = sorted(path.absolute() for path in options.build.glob('test_*')
                      if os.access(path, os.X_OK) and path.is_file() and re.search(options.programs, path.name))
    shown = sys.stdout.isatty()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(run_chunk, program, cases): program.name for program, cases in side_by_side(programs)}
        for count, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            for case, bad, output in job.result():
                passed, failed = passed + (not bad), failed + bad
                if bad:
                    print(f'\n{jobs[job]}: {case.strip()}: failed\n{output}', flush=True)
                    with failures.open('a') as again:
                        again.write(f'{jobs[job]}: {case.strip()}: failed\n{output[:EXCERPT_CHARACTERS]}\n')
            if shown:
                print(f'\r{count} of {len(jobs)} processes, {failed} cases failed', end='', flush=True)
    print(f'\n{time.monotonic() - begun:.0f} s\ncases {passed} {failed}')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
