#!/usr/bin/env python3
"""Holds mode plan to the options that manual pages describe: check_reading.py GIBBOUS

risky_options.tsv has the options of the programs that plan allows which, by their manual page, may
run, load, write, change or connect to something. None may be allowed, unless a person has found
that it only reads; and what only reads may not be refused.
"""
import json
import pathlib
import subprocess
import sys

TABLE = pathlib.Path(__file__).resolve().parent / "risky_options.tsv"


def forms(program, option):
    """Command lines with the option: alone, with a value behind it, attached, and an operand, which
    is a command for programs that start one."""
    attached = f"{option}=x" if option.startswith("--") else f"{option}x"
    tails = [option, f"{option} ls", f"{option} x ls", attached, f"{attached} ls"]
    return [f"{program} {tail}" for tail in tails]


def judge(gibbous, lines):
    requests = "".join(json.dumps({"id": at, "command": line, "mode": "plan"}) + "\n"
                       for at, line in enumerate(lines))
    made = subprocess.run([gibbous, "policy", "check", "--stdin", "--json"], input=requests,
                          capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in made.stdout.splitlines()]
    if len(answers) != len(lines):
        sys.exit(f"{len(answers)} answers to {len(lines)} requests: {made.stderr}")
    return [answer["decision"] for answer in sorted(answers, key=lambda answer: answer["id"])]


def main():
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()
            if line and not line.startswith("#")]
    lines, row_of = [], []
    for at, (program, option, *_) in enumerate(rows):
        for line in forms(program, option):
            lines.append(line)
            row_of.append(at)
    allowed = {}
    for line, at, decision in zip(lines, row_of, judge(sys.argv[1], lines)):
        if decision == "allow":
            allowed.setdefault(at, line)
    faults = []
    for at, (program, option, _, verdict, text) in enumerate(rows):
        if verdict == "refused" and at in allowed:
            faults.append(f"plan allows {allowed[at]!r}: {text}")
        elif verdict == "reads" and at not in allowed:
            faults.append(f"plan refuses {program} {option}, which only reads: {text}")
        elif verdict not in ("refused", "reads"):
            faults.append(f"nobody has decided on {program} {option}: {text}")
    for fault in faults:
        print(fault)
    if len(rows) < 300:
        sys.exit("the table is not whole")
    print(f"{len(rows)} options, {len(lines)} lines")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
