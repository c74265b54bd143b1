/** `npm run bench -- timeline [--json] [--only NAME,…]`: the run as one keeps and reads it. `runs`: 5,000 runs in the browser's own IndexedDB, on disk. `experiments`: 200 runs of one in the built page. `tracks`: the read pane over 10,000 tokens, and while tokens stream. `events`: the event list with 200,000 rows. `verify`: a mod asked again about a record of 1,000 steps. `rerun`: 50 recorded runs, made again. `live`: live runs whose other end is hostile. */
import { parseArgs } from "node:util";
import { runSections } from "./sections.ts";
import { eventRows } from "./timeline/events.ts";
import { experimentRows } from "./timeline/experiments.ts";
import { liveRows } from "./timeline/live.ts";
import { rerunRows } from "./timeline/rerun.ts";
import { runRows } from "./timeline/runs.ts";
import { trackRows } from "./timeline/tracks.ts";
import { verifyRows } from "./timeline/verify.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});

await runSections(
  "timeline",
  {
    runs: runRows,
    experiments: experimentRows,
    tracks: trackRows,
    events: eventRows,
    verify: verifyRows,
    rerun: rerunRows,
    live: liveRows,
  },
  options,
);
process.exit();
