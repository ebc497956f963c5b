#!/usr/bin/env python3
"""Makes tests/policies/risky_options.tsv from the manual pages of this machine.

    list_options.py --update          updates the table; a person then decides on each line with ?
    list_options.py PROGRAM...        prints all options of programs: "ls", "git log"

The table has the options of the programs in programs.txt whose description speaks of running,
loading, writing, changing or connecting: program, option, argument, verdict, description. The
verdict is "reads" where a person has found that the option does none of that, else "refused".
check_reading.py holds the policy to it. Only man is executed.
"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "risky_options.tsv"
HEADER = """\
# Options whose manual page (Debian 12) speaks of running, loading, writing, changing or connecting.
# Made by list_options.py --update; "reads": a person has found that the option does not.
# program	option	argument	verdict	description
"""
TEXT_BYTES = 100

FILE = r"(the\s+|a\s+|an\s+|this\s+)?((\w+|named|specified)\s+)?(file|<?FILE>?|<file>|directory)\b"
RISKY = re.compile("|".join([
    # runs
    r"\bexecut(e|es|ed|ing)\b.{0,40}\b(command|program|script|file)s?\b",
    r"\b(command|program|script)s?\b.{0,30}\bexecuted\b",
    r"\b(runs?|invokes?|launch|spawn|start)\s+((the|a|an|this|each|specified)\s+)?(\w+\s+){0,2}"
    r"(command|program|script|process|pager|browser|editor|shell|helper|preprocessor)",
    r"\buse\s+\S+\s+(as\s+(the\s+|a\s+)?(pager|editor|browser)|"
    r"to\s+(compare|compress|decompress|open|view|display))",
    r"\b(which|output|alternative|external|custom)\s+(output\s+)?(pager|browser|editor)",
    r"\bopen\b.{0,40}\b(pager|browser|editor|viewer)",
    r"\bpipes?d?\s+(the|its|output|through|into|to)\b",
    r"\b(textconv|external\s+diff|filter\s+driver)",
    # loads
    r"\bplug-?ins?\b",
    r"\bloads?\s+((the|a|an|this|from)\s+|FILE|file|settings|extension|librar|module|data)",
    r"\binterpret\s+the\s+named\s+file",
    # writes
    r"\bwrit(e|es|ten)\s+((the|a|its|all|any)\s+)?(\w+\s+){0,4}(to|into|in)\s+" + FILE,
    r"\b(output|result|send|copy|log|save|record|dump|append)\w*\s+(\w+\s+){0,6}(to|into|in)\s+"
    + FILE,
    r"\bin-?place\b",
    r"\bcompile\b.{0,40}\bfile",
    # changes
    r"^\W*(set|clear|reset|delete|remove|create|rename|update|modify|enable|disable|flush|rotate|"
    r"kill|close|unset|move|copy|add|edit|attempt\s+to\s+fetch|revert|forcibly)\b",
    r"\b(sets?|changes?|clears?|updates?|modify)\s+the\s+(system|host|kernel|clock|date|time|ring|"
    r"hostname|name\s+of|value|configuration|database|cache|index)",
    r"\bsends?\s+(a\s+|the\s+|an?\s+\S+\s+)?signal",
    # connects
    r"\b(connects?|contact|query|queries|forward|tunnel)\b.{0,40}"
    r"\b(host|server|remote|machine|socket|registry|daemon|container|network)",
    r"\bremote\s+(host|machine|server|systemd|daemon)",
    r"\b(address|URL|URI|port|hostname|name)\s+(and\s+port\s+)?of\s+the\s+.{0,40}\bserver",
    r"\bdaemon\s+socket",
    r"\bdownload",
]), re.IGNORECASE)

OPTION = re.compile(r"([-+]{1,2}[A-Za-z0-9?@#%][\w?@#-]*)(\[?[ =]?[\[<]?[A-Za-z_<\[{][^,\s|]*)?")
DEEPEST_HEAD = 14  # columns; a description is deeper


def page_of(program):
    """Returns the text of the manual page, "" if there is none."""
    name = program.replace(" ", "-")
    environment = dict(os.environ, MANWIDTH="160", LC_ALL="C.UTF-8")
    for section in (["1"], ["8"], []):
        made = subprocess.run(["man", "-P", "cat", *section, name], capture_output=True, text=True,
                              env=environment, check=False, stdin=subprocess.DEVNULL)
        if made.returncode == 0 and made.stdout:
            return re.sub(r".\x08", "", made.stdout)
    return ""


def paragraphs(page):
    """Yields the heads and the text of each paragraph that begins with an option."""
    heads, indent, text = [], 0, []
    for line in page.expandtabs().split("\n"):
        bare = line.strip().replace("\u2010", "-").replace("\u2212", "-")
        depth = len(line) - len(line.lstrip())
        if not bare:
            continue
        begins = re.match(r"[-+]\S", bare) and 0 < depth <= DEEPEST_HEAD
        if begins and (not heads or depth <= indent + 3):
            if heads and not text and depth == indent:
                heads.append(bare)
                continue
            if heads:
                yield heads, " ".join(text)
            heads, indent, text = [bare], depth, []
        elif heads and depth > indent:
            text.append(bare)
        elif heads:
            yield heads, " ".join(text)
            heads, text = [], []
    if heads:
        yield heads, " ".join(text)


def options_of(program):
    """Returns {option: (argument, description)}."""
    found = {}
    for heads, text in paragraphs(page_of(program)):
        for head in heads:
            # The description may begin on the line of the option, behind two spaces.
            tag, _, rest = head.partition("  ")
            said = " ".join((rest + " " + text).split())
            at = 0
            while match := OPTION.match(tag, at):
                found.setdefault(match.group(1), ((match.group(2) or "").strip(), said))
                at = match.end() + re.match(r"\s*[,|/]?\s*(or )?", tag[match.end():]).end()
                if at >= len(tag) or tag[at] not in "-+":
                    break
    for option in ("--help", "--version"):
        found.pop(option, None)
    return found


def verdicts():
    known = {}
    if TABLE.exists():
        for line in TABLE.read_text().splitlines():
            if line and not line.startswith("#"):
                program, option, _, verdict, _ = line.split("\t")
                known[program, option] = verdict
    return known


def update():
    known = verdicts()
    lines = []
    for program in (HERE / "programs.txt").read_text().splitlines():
        if program.startswith("#"):
            continue
        for option, (argument, text) in options_of(program).items():
            if RISKY.search(text):
                verdict = known.get((program, option), "?")
                lines.append("\t".join([program, option, argument, verdict, text[:TEXT_BYTES]]))
    TABLE.write_text(HEADER + "\n".join(lines) + "\n")


def main():
    if sys.argv[1:] == ["--update"]:
        return update()
    for program in sys.argv[1:]:
        for option, (argument, text) in options_of(program).items():
            print("\t".join([program, option, argument, text[:TEXT_BYTES]]))


if __name__ == "__main__":
    main()
