// The extension: a language client and a Test Explorer. Both only start `casebook`.

import * as vscode from "vscode";
import { LanguageServer } from "./languageServer";
import { TestExplorer } from "./testExplorer";

let server: LanguageServer | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const explorer = new TestExplorer(() => server?.refreshLenses());
  const started = new LanguageServer((uri, line) => explorer.runAt(uri, line));
  server = started;
  context.subscriptions.push(
    explorer,
    vscode.commands.registerCommand("casebook.restart", () => started.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("casebook.path")) {
        void started.restart();
      }
    }),
  );
  await Promise.all([explorer.findSuites(), started.start()]);
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
