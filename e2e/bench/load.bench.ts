/** `npm run bench -- load [--json] [--only NAME,…]`: models on their way into memory and out of it, and what may go wrong. */
import { parseArgs } from "node:util";
import { readyRows } from "./load/ready.ts";
import { faultRows, memoryRows } from "./load/session-faults.ts";
import { runSections } from "./sections.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
await runSections("load", { ready: readyRows, faults: faultRows, memory: memoryRows }, options);
