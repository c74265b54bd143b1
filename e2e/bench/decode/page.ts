/** The page of the decode bench: every function here is called from Node. */
import { contest } from "./contest.ts";
import type { EngineFunctions } from "./engine-worker.ts";
import { type Calls, callsTo } from "./worker-calls.ts";

const worker = new Worker(new URL("./engine-worker.ts", import.meta.url), { type: "module" });

/** What adapter there is, or why there is none. */
async function adapter(): Promise<string> {
  const { adapterName, requestAdapter } = await import("../../../src/engine/device.ts");
  const found = await requestAdapter();
  return typeof found === "string" ? `none: ${found}` : adapterName(found);
}

export interface DecodeBench {
  readonly contest: typeof contest;
  readonly adapter: typeof adapter;
  /** What is asked of our engine alone. */
  readonly engine: Calls<EngineFunctions>;
}
const decodeBench: DecodeBench = { contest, adapter, engine: callsTo<EngineFunctions>(worker) };
Object.assign(window, { decodeBench });
