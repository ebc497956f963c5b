-- Left by a program that was killed between its two migrations (bfcd154, 2026-11-22).
PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;
BEGIN TRANSACTION;
CREATE TABLE backlog_messages (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  event TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq)) WITHOUT ROWID;
CREATE TABLE exec_runs (
  number INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  status TEXT NOT NULL,
  command TEXT NOT NULL,
  background INTEGER NOT NULL DEFAULT 1,
  pty INTEGER NOT NULL DEFAULT 0,
  timeout_secs INTEGER NOT NULL DEFAULT 0,
  max_output_bytes INTEGER NOT NULL DEFAULT 0,
  watch_json TEXT,
  exit_code INTEGER,
  output_bytes INTEGER NOT NULL DEFAULT 0,
  truncated INTEGER NOT NULL DEFAULT 0,
  error_message TEXT,
  queued_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  updated_at INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL DEFAULT 0,
  not_kept_items INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL DEFAULT 0,
  meta_json TEXT);
CREATE TABLE run_segments (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  items TEXT NOT NULL,
  data BLOB NOT NULL);
CREATE INDEX exec_runs_session ON exec_runs (session_id, number);
CREATE INDEX exec_runs_finished ON exec_runs (finished_at) WHERE finished_at IS NOT NULL;
CREATE VIEW exec_run_items AS
SELECT
  (segment.id & 4294967295) + each.key AS seq,
  run.run_id AS run_id,
  CASE json_extract(each.value, '$[0]') WHEN 0 THEN 'stdout' WHEN 1 THEN 'stderr'
    WHEN 2 THEN 'terminal' WHEN 3 THEN 'event' WHEN 4 THEN 'state' ELSE 'note' END AS item_type,
  CAST(substr(segment.data, json_extract(each.value, '$[2]') + 1,
    json_extract(each.value, '$[3]')) AS TEXT) AS payload,
  nullif(CAST(substr(segment.data,
    json_extract(each.value, '$[2]') + json_extract(each.value, '$[3]') + 1,
    json_extract(each.value, '$[4]')) AS TEXT), '') AS meta_json,
  segment.created_at + json_extract(each.value, '$[1]') AS created_at
FROM exec_runs AS run
JOIN run_segments AS segment
  ON segment.id >= run.number << 32 AND segment.id < (run.number + 1) << 32
JOIN json_each(segment.items) AS each;
COMMIT;
PRAGMA application_id=1195524691; PRAGMA user_version=1;
