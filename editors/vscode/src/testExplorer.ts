// The Test Explorer: suites and their tests from `casebook run --list`, results from the events of `casebook run`.

import * as path from "node:path";
import * as vscode from "vscode";
import { collect, exitCode, start, SUITES } from "./program";
import { runTests } from "./testRun";

/** A test in the output of `casebook run --list --format json`. */
interface Listed {
  id: string;
  line: number | null;
  title: string;
  tags: string[];
}

export class TestExplorer implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("casebook", "Casebook");
  private readonly disposables: vscode.Disposable[] = [this.controller];

  /** `finished` is called after each run. */
  constructor(private readonly finished: () => void) {
    this.controller.resolveHandler = (item) => (item ? this.listTests(item) : this.findSuites());
    this.controller.refreshHandler = () => this.findSuites();
    const run = (request: vscode.TestRunRequest, token: vscode.CancellationToken) => this.run(request, token);
    this.controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, run, true);
    this.watch();
  }

  dispose(): void {
    this.disposables.forEach((one) => one.dispose());
  }

  /** Adds the suites of the workspace. Their tests are listed when they are shown or run. */
  async findSuites(): Promise<void> {
    const found = await vscode.workspace.findFiles(SUITES);
    this.controller.items.replace(found.map((uri) => this.suite(uri)));
  }

  /** Runs the test of a suite that begins at a line, counted from 1. */
  async runAt(uri: vscode.Uri, line: number): Promise<void> {
    await vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString())?.save();
    const suite = this.suite(uri);
    await this.listTests(suite);
    const tests: vscode.TestItem[] = [];
    suite.children.forEach((test) => {
      if (test.range?.start.line === line - 1) {
        tests.push(test);
      }
    });
    const request = new vscode.TestRunRequest(tests.length > 0 ? tests : [suite]);
    await this.run(request, new vscode.CancellationTokenSource().token);
  }

  private watch(): void {
    const watcher = vscode.workspace.createFileSystemWatcher(SUITES);
    const changed = (uri: vscode.Uri) => void this.listTests(this.suite(uri));
    this.disposables.push(
      watcher,
      watcher.onDidCreate((uri) => this.suite(uri)),
      watcher.onDidChange(changed),
      watcher.onDidDelete((uri) => this.controller.items.delete(uri.toString())),
    );
  }

  private suite(uri: vscode.Uri): vscode.TestItem {
    const id = uri.toString();
    const known = this.controller.items.get(id);
    if (known) {
      return known;
    }
    const item = this.controller.createTestItem(id, vscode.workspace.asRelativePath(uri), uri);
    item.canResolveChildren = true;
    this.controller.items.add(item);
    return item;
  }

  /** Lists the tests of a suite; its problems are shown in place of the tests if it has errors. */
  private async listTests(suite: vscode.TestItem): Promise<void> {
    const uri = suite.uri;
    const folder = uri && vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath;
    if (!uri || folder === undefined || suite.parent) {
      return;
    }
    suite.busy = true;
    try {
      const listed = await list(folder, path.relative(folder, uri.fsPath));
      suite.children.replace(listed.map((test) => this.test(uri, test)));
      suite.error = undefined;
    } catch (error) {
      suite.children.replace([]);
      suite.error = (error as Error).message;
    } finally {
      suite.busy = false;
    }
  }

  private test(uri: vscode.Uri, listed: Listed): vscode.TestItem {
    const item = this.controller.createTestItem(listed.id, listed.title, uri);
    item.tags = listed.tags.map((tag) => new vscode.TestTag(tag));
    if (listed.line !== null) {
      item.range = new vscode.Range(listed.line - 1, 0, listed.line - 1, 0);
    }
    return item;
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showWarningMessage("Casebook: tests run only in a trusted workspace.");
      return;
    }
    const selected = request.include ?? [...this.controller.items].map(([, suite]) => suite);
    for (const item of selected) {
      if (item.canResolveChildren && item.children.size === 0) {
        await this.listTests(item);
      }
    }
    const run = this.controller.createTestRun(request);
    try {
      await runTests(run, selected, new Set(request.exclude), token);
    } finally {
      run.end();
      this.finished();
    }
  }
}

async function list(folder: string, file: string): Promise<Listed[]> {
  const child = start(folder, ["run", "--list", "--format", "json", "--", file]);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await exitCode(child);
  if (code !== 0) {
    throw new Error(stderr().trim() || `casebook run --list exited with code ${code}`);
  }
  return (JSON.parse(stdout()) as { tests: Listed[] }).tests;
}
