// `casebook lsp`: problems, quick fixes, hover, completion, definitions, rename and code lenses.

import * as vscode from "vscode";
import { CodeLensRequest, LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";
import { program, SUITES } from "./program";

/** The command of the server's code lenses; its arguments are a file and a line, counted from 1. */
const RUN = "casebook.run";

/** Runs the test at a line. */
type RunAt = (uri: vscode.Uri, line: number) => Promise<void>;

export class LanguageServer {
  private client: LanguageClient | undefined;

  constructor(private readonly runAt: RunAt) {}

  async start(): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const command = program(folder);
    const options = { cwd: folder };
    const client = new LanguageClient("casebook", "Casebook", { command, args: ["lsp"], options }, this.options());
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      const hint = "install it, or set `casebook.path`";
      void vscode.window.showErrorMessage(`Casebook: cannot start \`${command} lsp\`; ${hint}. ${String(error)}`);
    }
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.needsStop()) {
      await client.stop();
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Shows the new results above the tests. */
  refreshLenses(): void {
    const lenses = this.client?.getFeature(CodeLensRequest.method);
    for (const document of vscode.workspace.textDocuments) {
      lenses?.getProvider(document)?.onDidChangeCodeLensEmitter.fire();
    }
  }

  private options(): LanguageClientOptions {
    return {
      // A suite may include any YAML file; the server ignores the others.
      documentSelector: [
        { scheme: "file", pattern: SUITES },
        { scheme: "file", language: "yaml" },
      ],
      middleware: {
        // Other editors let the server run the test; here the Test Explorer shows the result.
        executeCommand: async (command, args, next) => {
          const [uri, line] = args as [unknown, unknown];
          if (command === RUN && typeof uri === "string" && typeof line === "number") {
            return this.runAt(vscode.Uri.parse(uri), line);
          }
          return next(command, args);
        },
      },
    };
  }
}
