// One run of tests: starts `casebook run` in each folder and reports its events.

import type { ChildProcess } from "node:child_process";
import * as path from "node:path";
import * as vscode from "vscode";
import { EventReader, type Failure, type Outcome } from "./events";
import { lineSplitter } from "./lines";
import { collect, exitCode, start } from "./program";

/** How long a run that is stopped may clean up before it is interrupted again, which kills its tests. */
const GRACE = 5_000;

/** The tests of one folder, and the arguments that select them. */
interface Selection {
  folder: string;
  tests: Map<string, vscode.TestItem>;
  paths: Set<string>;
}

/** Runs the selected suites and tests. */
export async function runTests(
  run: vscode.TestRun,
  selected: readonly vscode.TestItem[],
  excluded: ReadonlySet<vscode.TestItem>,
  token: vscode.CancellationToken,
): Promise<void> {
  for (const selection of selections(selected, excluded)) {
    if (!token.isCancellationRequested) {
      selection.tests.forEach((test) => run.enqueued(test));
      await runFolder(run, selection, token);
    }
  }
}

function selections(selected: readonly vscode.TestItem[], excluded: ReadonlySet<vscode.TestItem>): Selection[] {
  const folders = new Map<string, Selection>();
  for (const item of selected) {
    const folder = item.uri && vscode.workspace.getWorkspaceFolder(item.uri)?.uri.fsPath;
    if (!item.uri || folder === undefined || excluded.has(item)) {
      continue;
    }
    const file = path.relative(folder, item.uri.fsPath);
    const selection = folders.get(folder) ?? { folder, tests: new Map(), paths: new Set() };
    folders.set(folder, selection);
    const tests = item.parent ? [item] : [...item.children].map(([, test]) => test);
    const wanted = tests.filter((test) => !excluded.has(test));
    const isWhole = !item.parent && wanted.length === tests.length;
    const lines = wanted.map((test) => (test.range ? `${file}:${test.range.start.line + 1}` : file));
    (isWhole ? [file] : lines).forEach((argument) => selection.paths.add(argument));
    wanted.forEach((test) => selection.tests.set(test.id, test));
  }
  return [...folders.values()];
}

async function runFolder(run: vscode.TestRun, selection: Selection, token: vscode.CancellationToken): Promise<void> {
  const { folder, tests, paths } = selection;
  const options = vscode.workspace.getConfiguration("casebook").get<string[]>("runArguments") ?? [];
  const child = start(folder, ["run", ...options, "--format", "jsonl", "--", ...paths]);
  const reader = new EventReader();
  const done = new Set<string>();
  const report = lineSplitter((line) => {
    const outcome = reader.read(line);
    const test = outcome && tests.get(outcome.id);
    if (outcome && test) {
      show(run, folder, test, outcome);
      if (outcome.kind !== "started") {
        done.add(outcome.id);
      }
    }
  });
  child.stdout.setEncoding("utf8").on("data", report);
  const stderr = collect(child.stderr);
  const stopping = token.onCancellationRequested(() => stop(child));
  let problem: string;
  try {
    const code = await exitCode(child);
    run.appendOutput(onTerminal(stderr()));
    problem = stderr().trim() || `casebook run exited with code ${code}`;
  } catch (error) {
    problem = (error as Error).message;
  }
  stopping.dispose();
  for (const [id, test] of tests) {
    if (!done.has(id) && token.isCancellationRequested) {
      run.skipped(test);
    } else if (!done.has(id)) {
      run.errored(test, new vscode.TestMessage(problem));
    }
  }
}

/** As Ctrl-C in a terminal: teardowns run. A second one kills the tests. */
function stop(child: ChildProcess): void {
  child.kill("SIGINT");
  const again = setTimeout(() => child.kill("SIGINT"), GRACE);
  child.on("close", () => clearTimeout(again));
}

function show(run: vscode.TestRun, folder: string, test: vscode.TestItem, outcome: Outcome): void {
  switch (outcome.kind) {
    case "started":
      return run.started(test);
    case "skipped":
      return run.skipped(test);
    case "passed":
      run.appendOutput(onTerminal(outcome.output), undefined, test);
      return run.passed(test, outcome.milliseconds);
    case "failed":
      run.appendOutput(onTerminal(outcome.output), undefined, test);
      return run.failed(test, outcome.failures.map((failure) => message(folder, failure)), outcome.milliseconds);
  }
}

function message(folder: string, failure: Failure): vscode.TestMessage {
  const { expected, actual, place } = failure;
  const shown =
    expected !== undefined && actual !== undefined
      ? vscode.TestMessage.diff(failure.message, expected, actual)
      : new vscode.TestMessage(failure.message);
  if (place) {
    const uri = vscode.Uri.file(path.resolve(folder, place.file));
    shown.location = new vscode.Location(uri, new vscode.Position(place.line - 1, 0));
  }
  return shown;
}

function onTerminal(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}
