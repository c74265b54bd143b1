/** `npm run bench -- load [--json] [--only NAME,…]`: models on their way into memory and out of it, and what may go wrong. */
import { parseArgs } from "node:util";
import { downloadFaultRows } from "./load/download-faults.ts";
import { interruptedRows } from "./load/interrupted.ts";
import { readyRows } from "./load/ready.ts";
import { faultRows, memoryRows } from "./load/session-faults.ts";
import { runSections } from "./sections.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
const sections = {
  ready: readyRows,
  interrupted: interruptedRows,
  "download-faults": downloadFaultRows,
  faults: faultRows,
  memory: memoryRows,
};
await runSections("load", sections, options);
