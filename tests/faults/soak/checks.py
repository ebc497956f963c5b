"""What must be true of the journal, whatever was killed when."""
import collections

ENDS = {"completed", "failed", "killed", "timeout", "lost"}
LINES = ["first", "second", "third"]
# The notes about a run whose end only its keeper saw.
CUT = (
    "Its host ended before it recorded this end",
    "Its last output is not recorded",
    "Output after the end of its host",
)


def is_cut(output, wanted, attempt):
    """Returns whether the output of the last attempt is a beginning of the wanted one."""
    if attempt == 1:
        return wanted.startswith(output)
    return any(output.endswith(wanted[:size]) for size in range(len(wanted)))


def check_run(notes, run, rows, starts):
    run_id, status, attempt, command, last_seq = run
    problems, name = notes.problems, f"run {run_id} ({run[1]})"
    seqs = [row[0] for row in rows]
    if seqs != list(range(1, last_seq + 1)):
        problems.append(f"{name}: items {seqs}, expected 1 to {last_seq}")
    ends = [row[0] for row in rows if row[1] == "state" and row[2] in ENDS]
    if status not in ENDS or len(ends) != 1:
        problems.append(f"{name}: ends at {ends}")
    elif any(row[1] != "event" for row in rows if row[0] > ends[0]):
        problems.append(f"{name}: something comes after its end")
    token = command.split("echo ")[1].split(" ")[0]
    if starts[token] > attempt:
        problems.append(f"{name}: executed {starts[token]} times in {attempt} attempts")
    if status == "completed":
        output = "".join(row[2] for row in rows if row[1] == "stdout")
        wanted = "".join(f"{line} {token}\n" for line in LINES)
        cut = any(row[1] == "note" and row[2].startswith(CUT) for row in rows)
        whole = output.endswith(wanted) and (attempt > 1 or output == wanted)
        if not whole and not (cut and is_cut(output, wanted, attempt)):
            problems.append(f"{name}: completed with {output!r}")


def check(place, notes):
    starts = collections.Counter(place.lines_of("starts"))
    for token in place.lines_of("overlaps"):
        notes.problems.append(f"{token}: two runs of its session ran at once")
    found = collections.defaultdict(list)
    for run, *row in place.ask("SELECT run_id, seq, item_type, payload FROM exec_run_items "
                               "ORDER BY run_id, seq"):
        found[run].append(row)
    runs = place.ask("SELECT run_id, status, attempt, command, last_seq FROM exec_runs")
    waiting = set(place.ask("SELECT event, run_id FROM backlog_messages"))
    for run in runs:
        check_run(notes, run, found[run[0]], starts)
    known = {run[0] for run in runs}
    for run in notes.spawned:
        if run not in known:
            notes.problems.append(f"run {run} was acknowledged and is not there")
    for (run, seq), (kind, payload) in notes.items.items():
        rows = [row for row in found[run] if row[0] == seq]
        if not rows or (rows[0][1], rows[0][2]) != (kind, payload):
            notes.problems.append(f"run {run}, item {seq}: told {kind} {payload!r}, is {rows}")
    lost = again = 0
    for run, rows in found.items():
        for row in rows:
            if row[1] != "event" or row[2] not in ("seen", "run_ended"):
                continue
            if (row[2], run) not in notes.delivered and (row[2], run) not in waiting:
                lost += 1
                notes.problems.append(f"run {run}: its event {row[2]} was lost")
    again = sum(count - 1 for (event, _), count in notes.delivered.items()
                if event == "seen" and count > 1)
    states = collections.Counter(run[1] for run in runs)
    return len(runs), states, sum(len(rows) for rows in found.values()), again
