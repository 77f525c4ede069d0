-- The database that `casebook report --format sqlite=FILE` and `casebook history --sqlite FILE` write.
-- Times are ISO 8601 in UTC, durations are in milliseconds, and true is 1.
PRAGMA user_version = 1;

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  started_at TEXT NOT NULL,
  finished_at TEXT, -- NULL if the run was killed
  duration_ms INTEGER,
  git_commit TEXT,
  seed TEXT
) STRICT;

-- One row per test and run. Each trial of a test is a separate row.
CREATE TABLE tests (
  id INTEGER PRIMARY KEY, -- of this row, for joins
  run_id TEXT NOT NULL REFERENCES runs (id),
  stable_id TEXT, -- the same in every run
  suite TEXT,
  name TEXT NOT NULL,
  title TEXT NOT NULL, -- with the names of its suite and groups
  file TEXT NOT NULL,
  line INTEGER,
  status TEXT NOT NULL CHECK (status IN ('passed', 'failed', 'skipped', 'unfinished')),
  started_at TEXT NOT NULL,
  duration_ms INTEGER,
  flaky INTEGER NOT NULL,
  attempts INTEGER NOT NULL, -- 0 for a skipped test
  exit_code INTEGER,
  failure_class TEXT,
  message TEXT, -- why it failed or was skipped
  trial_of TEXT -- the stable id of the test that this is a trial of
) STRICT;

-- Every assertion and check that was evaluated, in order.
CREATE TABLE checks (
  test_id INTEGER NOT NULL REFERENCES tests (id),
  number INTEGER NOT NULL,
  turn INTEGER, -- the turn of a conversation it belongs to
  type TEXT, -- outputContains, called, satisfies, …
  description TEXT NOT NULL,
  passed INTEGER NOT NULL,
  mode TEXT, -- hard or soft
  expected TEXT, -- a text, or any other value as JSON
  actual TEXT,
  message TEXT, -- why it failed
  reasoning TEXT, -- of a judge
  score REAL,
  PRIMARY KEY (test_id, number)
) STRICT, WITHOUT ROWID;

-- The turns of conversations.
CREATE TABLE turns (
  test_id INTEGER NOT NULL REFERENCES tests (id),
  number INTEGER NOT NULL,
  user TEXT,
  agent TEXT,
  topic TEXT,
  latency_ms INTEGER,
  model TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cost REAL,
  PRIMARY KEY (test_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_calls (
  test_id INTEGER NOT NULL REFERENCES tests (id),
  turn INTEGER NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  arguments TEXT NOT NULL, -- JSON
  result TEXT, -- JSON
  error TEXT,
  PRIMARY KEY (test_id, turn, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX tests_of_run ON tests (run_id);
CREATE INDEX tests_by_stable_id ON tests (stable_id);
