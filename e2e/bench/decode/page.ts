/** The page of the decode bench: every function here is called from Node. */
import { contest } from "./contest.ts";
import type { EngineFunctions } from "./engine-worker.ts";
import { logStep } from "./step-log.ts";
import { type Calls, callsTo } from "./worker-calls.ts";

const worker = new Worker(new URL("./engine-worker.ts", import.meta.url), { type: "module" });

export interface DecodeBench {
  readonly contest: typeof contest;
  /** Calls to our engine alone. */
  readonly engine: Calls<EngineFunctions>;
}
const minuteMs = 60_000;
/** Each call is a whole measurement, also on a software adapter of a busy machine: far more than the longest that was seen. */
const limitsMs: Readonly<Record<keyof EngineFunctions, number>> = {
  answers: 30 * minuteMs,
  longPass: 15 * minuteMs,
  measureAccuracy: 240 * minuteMs,
  forcedSpan: 30 * minuteMs,
  runGraph: 15 * minuteMs,
  passCosts: 30 * minuteMs,
};
const engine = callsTo<EngineFunctions>(worker, { who: "engine", limitsMs, log: logStep });
const decodeBench: DecodeBench = { contest, engine };
Object.assign(window, { decodeBench });
