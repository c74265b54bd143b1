import { faultRows, memoryRows } from "./load/session-faults.ts";
import { runSections } from "./sections.ts";

await runSections("load", { faults: faultRows, memory: memoryRows }, { json: false, only: process.argv[2] });
