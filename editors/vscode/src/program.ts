// Starts `casebook`.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import type { Readable } from "node:stream";
import * as path from "node:path";
import * as vscode from "vscode";

/** The files that are suites. */
export const SUITES = "**/*.{casebook,bashi}.{yaml,yml}";

/** The program to start for a folder. */
export function program(folder: string | undefined): string {
  const configured = vscode.workspace.getConfiguration("casebook").get<string>("path") || "casebook";
  return folder !== undefined && configured.includes("/") ? path.resolve(folder, configured) : configured;
}

/** Starts a command of `casebook` in a folder. Without input, so that no test waits for it. */
export function start(folder: string, words: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(program(folder), words, { cwd: folder });
  // A program that cannot be started, or that ends without reading, is reported by its exit.
  child.stdin.on("error", () => {});
  child.stdin.end();
  return child;
}

/** Collects what a stream of a child contains. */
export function collect(stream: Readable): () => string {
  let collected = "";
  stream.setEncoding("utf8").on("data", (text: string) => (collected += text));
  return () => collected;
}

/** Waits until a child has ended. Returns its exit code; `null`: it was killed by a signal. */
export function exitCode(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Error(`cannot start ${child.spawnfile}: ${error.message}`)));
    child.on("close", resolve);
  });
}
