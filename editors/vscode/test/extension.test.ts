// The bundled extension with a stand-in for the editor and the real `casebook`, which the variable CASEBOOK names.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { editorOn, type Item, type Run } from "./standIn";

const casebook = path.resolve(process.env["CASEBOOK"] ?? "");
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "casebook-vscode-")));
const settings: Record<string, unknown> = { path: casebook };
const editor = editorOn(folder, settings);
const load = (Module as any)._load;
(Module as any)._load = (name: string, ...rest: unknown[]) => (name === "vscode" ? editor.vscode : load(name, ...rest));
const extension = require(path.resolve("dist/extension.js"));

const SUITE = `tests:
  - {name: passes, command: 'true', tags: [fast]}
  - {name: fails, command: echo new, outputEquals: old}
  - {name: is skipped, command: 'true', skip: later}
`;

function write(name: string, text: string): string {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
}

async function eventually<T>(what: string, find: () => T | undefined | false): Promise<T> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const found = find();
    if (found) {
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never: ${what}`);
}

function labels(items: Iterable<[string, Item]>): string[] {
  return [...items].map(([, item]) => item.label);
}

const controller = () => editor.seen.controllers[0];

/** Runs tests as the button of the Test Explorer does. */
async function runTests(include?: Item[], token = new editor.CancellationTokenSource().token): Promise<Run> {
  const [, , handler] = controller().profiles[0];
  const before = editor.seen.runs.length;
  await handler({ include }, token);
  const run = editor.seen.runs[before];
  assert(run?.hasEnded);
  return run;
}

const disposed: { dispose(): void }[] = [];

test("the extension starts and finds suites", async () => {
  assert(existsSync(casebook), "CASEBOOK must name the program");
  write("a.casebook.yaml", SUITE);
  write("broken.casebook.yaml", "tests: [{nmae: x, command: ls}]\n");
  editor.seen.suites = ["a.casebook.yaml", "broken.casebook.yaml"];
  await extension.activate({ subscriptions: disposed });
  assert.deepEqual(editor.seen.messages, []);
  assert.deepEqual(labels(controller().items), editor.seen.suites);
});

const suite = (name: string): Item => controller().items.get(editor.Uri.file(path.join(folder, name)).toString());

test("a suite lists its tests, or its problems", async () => {
  await controller().resolveHandler(suite("a.casebook.yaml"));
  assert.deepEqual(labels(suite("a.casebook.yaml").children), ["passes", "fails", "is skipped"]);
  const second = [...suite("a.casebook.yaml").children.values()][1];
  assert.equal(second?.range?.start.line, 2);
  await controller().resolveHandler(suite("broken.casebook.yaml"));
  assert.match(suite("broken.casebook.yaml").error ?? "", /no field `nmae`/);
});

test("results are shown as they come", async () => {
  const run = await runTests([suite("a.casebook.yaml")]);
  const results = run.reported.filter((line) => !/^(enqueued|started)/.test(line)).sort();
  assert.deepEqual(results, ["failed fails", "passed passes", "skipped is skipped"]);
  const [message] = run.messages;
  assert.equal(message?.message, "output differs from the expected text");
  assert.deepEqual([message?.expectedOutput, message?.actualOutput], ["old", "new"]);
  assert.equal(message?.location?.uri.fsPath, path.join(folder, "a.casebook.yaml"));
  assert.match(run.output, /new\r\n/);
});

test("one test runs alone, and a suite with errors does not run", async () => {
  const [passes] = [...suite("a.casebook.yaml").children.values()];
  const run = await runTests([passes as Item]);
  assert.deepEqual(run.reported, ["enqueued passes", "started passes", "passed passes"]);
  const broken = await runTests();
  assert(broken.reported.includes("errored passes"), String(broken.reported));
  assert.match(broken.messages[0]?.message ?? "", /no field `nmae`/);
});

test("a run that is stopped ends, with its teardown", async () => {
  write("slow.casebook.yaml", "teardown: touch cleaned\ntests: [{name: slow, command: touch begun; sleep 600}]\n");
  editor.seen.watcher.created.fire(editor.Uri.file(path.join(folder, "slow.casebook.yaml")));
  const source = new editor.CancellationTokenSource();
  const running = runTests([suite("slow.casebook.yaml")], source.token);
  await eventually("the test begins", () => existsSync(path.join(folder, "begun")));
  source.cancel();
  const run = await running;
  assert.equal(run.reported.at(-1), "skipped slow");
  assert(existsSync(path.join(folder, "cleaned")));
});

test("nothing runs in a workspace that is not trusted", async () => {
  editor.seen.isTrusted = false;
  const [, , handler] = controller().profiles[0];
  const before = editor.seen.runs.length;
  await handler({}, new editor.CancellationTokenSource().token);
  assert.equal(editor.seen.runs.length, before);
  assert.match(editor.seen.messages.pop() ?? "", /trusted/);
  editor.seen.isTrusted = true;
});

test("problems come from the language server", async () => {
  const document = editor.open("broken.casebook.yaml");
  const problems = await eventually("problems", () => {
    const found = editor.seen.problems.get(document.uri.toString());
    return found && found.length > 0 && found;
  });
  const codes = problems.map((problem) => problem.code);
  assert(codes.includes("unknown-field"), String(codes));
});

test("a code lens runs its test in the Test Explorer", async () => {
  const document = editor.open("a.casebook.yaml");
  const provider = await eventually("code lenses", () => editor.seen.providers.get("codeLens"));
  const lenses = await provider.provideCodeLenses(document, new editor.CancellationTokenSource().token);
  const titles = lenses.map((lens: any) => lens.command.title);
  assert.match(titles[0], /^run/);
  const { command, arguments: values } = lenses[0].command;
  const before = editor.seen.runs.length;
  await editor.seen.commands.get(command)?.(...values);
  assert.deepEqual(editor.seen.runs[before]?.reported, ["enqueued passes", "started passes", "passed passes"]);
});

test("a program that is missing is reported", async () => {
  settings["path"] = "./no/such/casebook";
  await editor.seen.commands.get("casebook.restart")?.();
  assert.match(editor.seen.messages.join("\n"), /cannot start `.*no\/such\/casebook lsp`; install it/);
  const run = await runTests([suite("a.casebook.yaml")]);
  assert.deepEqual(run.reported.slice(-3), ["errored passes", "errored fails", "errored is skipped"]);
  assert.match(run.messages[0]?.message ?? "", /cannot start/);
});

after(async () => {
  await extension.deactivate();
  disposed.forEach((one) => one.dispose());
  rmSync(folder, { recursive: true });
});
