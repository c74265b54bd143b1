/** The page of the decode bench: every function here is called from Node. */
import { contest } from "./contest.ts";
import type { EngineFunctions } from "./engine-worker.ts";
import { type Calls, callsTo } from "./worker-calls.ts";

const worker = new Worker(new URL("./engine-worker.ts", import.meta.url), { type: "module" });

export interface DecodeBench {
  readonly contest: typeof contest;
  /** Calls to our engine alone. */
  readonly engine: Calls<EngineFunctions>;
}
const decodeBench: DecodeBench = { contest, engine: callsTo<EngineFunctions>(worker) };
Object.assign(window, { decodeBench });
