import assert from "node:assert/strict";
import { test } from "node:test";
import { EventReader } from "../src/events";
import { lineSplitter } from "../src/lines";

function event(event_type: string, payload: object): string {
  return JSON.stringify({ event_type, payload });
}

test("lines are complete, however the stream is divided", () => {
  const lines: string[] = [];
  const add = lineSplitter((line) => lines.push(line));
  ["a", "b\nc", "\n", "\nd"].forEach(add);
  assert.deepEqual(lines, ["ab", "c", ""]);
});

test("a failed test has the expectations that failed", () => {
  const reader = new EventReader();
  const compared = { file: "a.casebook.yaml", line: 3, comparison: "equals", expected: "old", actual: "new" };
  reader.read(event("EvaluationRecorded", { example_id: "1", passed: true, description: "exitCode 0" }));
  reader.read(event("EvaluationRecorded", { example_id: "1", passed: false, failure_message: "differs", metadata: compared }));
  const metadata = { command: { output: "new\n" } };
  assert.deepEqual(reader.read(event("ExampleFailed", { example_id: "1", duration: 0.5, metadata })), {
    kind: "failed",
    id: "1",
    milliseconds: 500,
    output: "new\n",
    failures: [{ message: "differs", place: { file: "a.casebook.yaml", line: 3 }, expected: "old", actual: "new" }],
  });
});

test("a test that failed for another reason has its message, and a retry begins anew", () => {
  const reader = new EventReader();
  reader.read(event("EvaluationRecorded", { example_id: "1", passed: false, description: "exitCode 0" }));
  reader.read(event("ExampleStarted", { example_id: "1" }));
  const failed = reader.read(event("ExampleFailed", { example_id: "1", message: "timeout", location: "a:b.yaml:7" }));
  assert(failed?.kind === "failed");
  assert.deepEqual(failed.failures, [{ message: "timeout", place: { file: "a:b.yaml", line: 7 } }]);
});

test("other events and other lines say nothing", () => {
  const reader = new EventReader();
  for (const line of ["", "no JSON", "[]", "null", event("SuiteStarted", {}), event("Later", { example_id: "1" })]) {
    assert.equal(reader.read(line), undefined, line);
  }
});
