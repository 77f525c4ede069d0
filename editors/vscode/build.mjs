// Bundles the extension and its tests into dist/. `vscode` is provided by the editor, and in the tests by a stand-in.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const shared = { bundle: true, platform: "node", target: "node20", format: "cjs", external: ["vscode"], logLevel: "warning" };

await build({ ...shared, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", minify: true });
const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
await build({ ...shared, entryPoints: tests.map((name) => `test/${name}`), outdir: "dist/test" });
