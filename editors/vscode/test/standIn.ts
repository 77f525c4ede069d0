// A stand-in for the module `vscode`, which exists only inside the editor. It does what the extension and its language client use: the
// rest exists, and does nothing.

import { readFileSync } from "node:fs";
import * as path from "node:path";

type Listener = (value: any) => unknown;

export class Disposable {
  constructor(private readonly callback: () => unknown = () => {}) {}
  static from(...all: Disposable[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
  dispose(): void {
    this.callback();
  }
}

export class EventEmitter {
  private readonly listeners = new Set<Listener>();
  readonly event = (listener: Listener, self?: unknown): Disposable => {
    const bound = listener.bind(self);
    this.listeners.add(bound);
    return new Disposable(() => this.listeners.delete(bound));
  };
  fire(value?: unknown): void {
    this.listeners.forEach((listener) => listener(value));
  }
  dispose(): void {}
}

class CancellationTokenSource {
  private readonly emitter = new EventEmitter();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.emitter.fire();
  }
  dispose(): void {}
}

class Uri {
  readonly scheme = "file";
  private constructor(readonly fsPath: string) {}
  static file(name: string): Uri {
    return new Uri(name);
  }
  static parse(text: string): Uri {
    return new Uri(decodeURIComponent(text.replace("file://", "")));
  }
  get path(): string {
    return this.fsPath;
  }
  with(): Uri {
    return this;
  }
  toString(): string {
    return "file://" + this.fsPath.split("/").map(encodeURIComponent).join("/");
  }
}

class Position {
  constructor(readonly line: number, readonly character: number) {}
}

class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...at: [number, number, number, number] | [Position, Position]) {
    const [first, second, third, fourth] = at;
    [this.start, this.end] =
      first instanceof Position
        ? [first, second as Position]
        : [new Position(first, second as number), new Position(third as number, fourth as number)];
  }
}

class Location {
  constructor(readonly uri: Uri, readonly range: unknown) {}
}

class Diagnostic {
  code: unknown;
  constructor(readonly range: Range, readonly message: string) {}
}

class TestMessage {
  location?: Location;
  expectedOutput?: string;
  actualOutput?: string;
  constructor(readonly message: string) {}
  static diff(message: string, expected: string, actual: string): TestMessage {
    return Object.assign(new TestMessage(message), { expectedOutput: expected, actualOutput: actual });
  }
}

class CodeActionKind {
  static readonly Empty = new CodeActionKind("");
  constructor(readonly value: string) {}
  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}

class CodeLens {
  isResolved = true;
  constructor(readonly range: Range, readonly command?: { title: string; command: string; arguments: unknown[] }) {}
}

/** A list of test items, by id. */
class Items extends Map<string, Item> {
  constructor(private readonly parent?: Item) {
    super();
  }
  add(item: Item): void {
    item.parent = this.parent;
    this.set(item.id, item);
  }
  replace(items: Item[]): void {
    this.clear();
    items.forEach((item) => this.add(item));
  }
}

export class Item {
  readonly children = new Items(this);
  parent?: Item;
  range?: Range;
  error?: string;
  busy = false;
  canResolveChildren = false;
  constructor(readonly id: string, readonly label: string, readonly uri?: Uri) {}
}

/** What a run reported: `passed a`, with the messages of failures. */
export class Run {
  readonly reported: string[] = [];
  readonly messages: TestMessage[] = [];
  output = "";
  hasEnded = false;
  enqueued = (test: Item) => void this.reported.push(`enqueued ${test.label}`);
  started = (test: Item) => void this.reported.push(`started ${test.label}`);
  skipped = (test: Item) => void this.reported.push(`skipped ${test.label}`);
  passed = (test: Item) => void this.reported.push(`passed ${test.label}`);
  failed = (test: Item, messages: TestMessage[]) => {
    this.reported.push(`failed ${test.label}`);
    this.messages.push(...messages);
  };
  errored = (test: Item, message: TestMessage) => {
    this.reported.push(`errored ${test.label}`);
    this.messages.push(message);
  };
  appendOutput = (text: string) => void (this.output += text);
  end = () => void (this.hasEnded = true);
}

/** A class of the editor that nothing here looks into. */
class Other {
  constructor(...values: unknown[]) {
    Object.assign(this, { values });
  }
}

/** Adds what a namespace of the editor has besides: events that never happen, and registrations without effect. */
function namespace<T extends object>(known: T): T {
  return new Proxy(known, {
    get(target, name) {
      if (name in target) {
        return Reflect.get(target, name);
      }
      return /^(on(Did|Will)|register|create|set)/.test(String(name)) ? () => new Disposable() : undefined;
    },
  });
}

/** The classes and enumerations that the editor declares. */
function otherNames(): Record<string, unknown> {
  const declared = readFileSync("node_modules/@types/vscode/index.d.ts", "utf8");
  const names = [...declared.matchAll(/^\texport (class|enum) (\w+)/gm)];
  return Object.fromEntries(names.map(([, kind, name]) => [name, kind === "class" ? class extends Other {} : {}]));
}

/** A document that is open in the editor. */
export function documentOf(file: string) {
  const text = readFileSync(file, "utf8");
  return { uri: Uri.file(file), languageId: "yaml", version: 1, isClosed: false, getText: () => text, save: async () => true };
}

/** An editor with one folder. */
export function editorOn(folder: string, settings: Record<string, unknown>) {
  const opened = new EventEmitter();
  const seen = {
    controllers: [] as any[],
    runs: [] as Run[],
    problems: new Map<string, Diagnostic[]>(),
    messages: [] as string[],
    commands: new Map<string, (...values: any[]) => any>(),
    providers: new Map<string, any>(),
    suites: [] as string[],
    watcher: { created: new EventEmitter(), changed: new EventEmitter(), deleted: new EventEmitter() },
    isTrusted: true,
  };
  const documents: any[] = [];
  const inFolder = { uri: Uri.file(folder), name: path.basename(folder), index: 0 };
  const asProvider = (name: string) => (_: unknown, provider: unknown) => {
    seen.providers.set(name, provider);
    return new Disposable();
  };
  const show = async (text: string) => void seen.messages.push(text);
  const log = () => {};
  const channel = namespace({ append: log, appendLine: log, info: log, warn: log, error: log, debug: log, trace: log, dispose: log, show: log });
  const module = {
    version: "1.91.0",
    Disposable, EventEmitter, CancellationTokenSource, Uri, Position, Range, Location, Diagnostic, TestMessage, CodeActionKind, CodeLens,
    TestTag: class { constructor(readonly id: string) {} },
    TestRunRequest: class { constructor(readonly include?: unknown[], readonly exclude?: unknown[]) {} },
    TestRunProfileKind: { Run: 1 },
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    env: { appName: "stand-in", language: "en" },
    l10n: { t: (text: string) => text },
    workspace: namespace({
      workspaceFolders: [inFolder],
      textDocuments: documents,
      notebookDocuments: [],
      get isTrusted() { return seen.isTrusted; },
      onDidOpenTextDocument: opened.event,
      getConfiguration: () => ({ get: (name: string, other?: unknown) => settings[name] ?? other }),
      getWorkspaceFolder: () => inFolder,
      asRelativePath: (uri: Uri) => path.relative(folder, uri.fsPath),
      findFiles: async () => seen.suites.map((name) => Uri.file(path.join(folder, name))),
      createFileSystemWatcher: () => ({
        onDidCreate: seen.watcher.created.event,
        onDidChange: seen.watcher.changed.event,
        onDidDelete: seen.watcher.deleted.event,
        dispose() {},
      }),
    }),
    window: namespace({
      visibleTextEditors: [],
      tabGroups: namespace({ all: [] }),
      createOutputChannel: () => channel,
      showErrorMessage: show,
      showWarningMessage: show,
      showInformationMessage: show,
    }),
    languages: namespace({
      match: (_: unknown, document: { uri: Uri }) => (/\.(casebook|bashi)\.ya?ml$/.test(document.uri.fsPath) ? 10 : 0),
      createDiagnosticCollection: () => ({
        set: (uri: Uri, problems: Diagnostic[]) => void seen.problems.set(uri.toString(), problems),
        delete() {}, clear() {}, dispose() {},
      }),
      registerCodeLensProvider: asProvider("codeLens"),
      registerHoverProvider: asProvider("hover"),
      registerRenameProvider: asProvider("rename"),
    }),
    commands: namespace({
      registerCommand(name: string, callback: () => unknown) {
        seen.commands.set(name, callback);
        return new Disposable(() => seen.commands.delete(name));
      },
    }),
    tests: {
      createTestController: () => {
        const controller = {
          items: new Items(),
          profiles: [] as any[],
          createTestItem: (id: string, label: string, uri?: Uri) => new Item(id, label, uri),
          createRunProfile: (...values: unknown[]) => void controller.profiles.push(values),
          createTestRun: () => {
            const run = new Run();
            seen.runs.push(run);
            return run;
          },
          dispose() {},
        };
        seen.controllers.push(controller);
        return controller;
      },
    },
  };
  const vscode = { ...otherNames(), ...module };
  const open = (name: string) => {
    const document = documentOf(path.join(folder, name));
    documents.push(document);
    opened.fire(document);
    return document;
  };
  return { vscode, seen, open, Uri, CancellationTokenSource };
}
