#!/usr/bin/env node
// Starts the program of the package for this platform, which npm installed as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

function program() {
  const name = `casebook-cli-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${name}/bin/casebook`);
  } catch {
    console.error(`casebook: the package ${name} is not installed; Casebook supports Linux on x64 and arm64 with glibc.`);
    console.error("If npm was called with --omit=optional, install again without it.");
    process.exit(2);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
// The program receives Ctrl-C from the terminal too and ends in order; this process waits for it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
}
child.on("error", (error) => {
  console.error(`casebook: cannot start the program: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]));
