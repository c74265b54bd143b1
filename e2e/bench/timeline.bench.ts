/** `npm run bench -- timeline [--json] [--only NAME,…]`: the run as one keeps and reads it. `runs`: 5,000 runs in the browser's own IndexedDB, on disk. */
import { parseArgs } from "node:util";
import { runSections } from "./sections.ts";
import { runRows } from "./timeline/runs.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});

await runSections("timeline", { runs: runRows }, options);
process.exit();
