/** `npm run bench -- timeline [--json] [--only NAME,…]`: the run as one keeps and reads it. `runs`: 5,000 runs in the browser's own IndexedDB, on disk. `tracks`: the read pane over 10,000 tokens, and while tokens stream. */
import { parseArgs } from "node:util";
import { runSections } from "./sections.ts";
import { runRows } from "./timeline/runs.ts";
import { trackRows } from "./timeline/tracks.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});

await runSections("timeline", { runs: runRows, tracks: trackRows }, options);
process.exit();
