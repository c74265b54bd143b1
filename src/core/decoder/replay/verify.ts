/** Sends the events of a recorded request to its mods again, without a model, and compares the replies with the recorded ones. */
import type { Tokenizer } from "../../sdk/tokenizer.ts";
import type { FinishedRecord, TraceRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import { decode } from "../loop/decode.ts";
import type { DecodePorts } from "../loop/decode-state.ts";
import type { ModHost } from "../ports/mod-host.ts";
import type { PromptMaker } from "../ports/prompt-maker.ts";
import type { DecodeRequest } from "../ports/request.ts";
import { branchModsOf } from "./branch-mods.ts";
import { countCaughtUpRecords } from "./branch-point.ts";
import { missingForCatchUp, missingLogits } from "./recorded-logits.ts";
import { modelFromRecords } from "./recorded-model.ts";
import { RecordedSteps } from "./recorded-steps.ts";
import type { ReplayDifference } from "./replay-difference.ts";

export interface VerifyPorts {
  readonly tokenizer: Tokenizer;
  readonly prompts?: PromptMaker | undefined;
  /** Freshly loaded mods, in the order of the request. A mod that fails is disposed of. */
  readonly mods: readonly ModHost[];
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly signal?: AbortSignal | undefined;
}

/** The result of a verification. Plain data. */
export interface Verification {
  /** Number of replies that were compared and equal the recorded ones. */
  readonly calls: number;
  /** The first reply that differs; null if there is none. */
  readonly difference: ReplayDifference | null;
  /**
   * The first place where the record lacks something that the mods read; nothing after it was verified. Null if the
   * record has everything.
   */
  readonly missing: { readonly place: number; readonly step: number; readonly message: string } | null;
}

/**
 * Replays the records with these mods, as far as no model is needed, and returns the first reply that differs.
 * @param request as it was recorded; its prompt is the one before the mods
 * @throws the reason of `signal` when it is aborted
 */
export async function verifyReplay(
  request: DecodeRequest,
  records: readonly TraceRecord[],
  { tokenizer, prompts, mods, now, signal }: VerifyPorts,
): Promise<Verification> {
  const end = endOf(records);
  // If the mods of a branch caught up with earlier events, they catch up again; only later replies are compared.
  const whole = { records, at: end, token: null };
  const caughtUp = countCaughtUpRecords(whole);
  const { before } = branchModsOf(whole, mods, request.modSources);
  const missing =
    missingForCatchUp(mods, records, caughtUp, before) ?? missingLogits(mods, records, end, caughtUp);
  const at = missing?.place ?? end;
  const model = modelFromRecords(records, tokenizer.eosTokenIds);
  const kvCache = new KvCache(model);
  const ports: DecodePorts = { kvCache, tokenizer, prompts, mods, record() {}, now, signal };
  const steps = new RecordedSteps({ records, at, token: null });
  await decode(request, ports, steps);
  signal?.throwIfAborted();
  const { difference, calls } = steps;
  const step = missing && records[missing.place];
  return {
    calls,
    difference,
    // If a reply differs earlier, that difference is the result, and later gaps of the record do not matter.
    missing:
      missing && difference === null ? { ...missing, step: step && "step" in step ? step.step : 0 } : null,
  };
}

/** Endings that the records before them determine. Other endings came from outside: a stop, or an engine that failed. */
const ownEndings: ReadonlySet<FinishedRecord["reason"]> = new Set([
  "stop",
  "length",
  "forced",
  "tool_calls",
  "budget",
  "error",
]);

/** How many records at the start a replay can produce again. */
function endOf(records: readonly TraceRecord[]): number {
  const last = records.at(-1);
  const isOwn =
    last?.type === "finished" &&
    ownEndings.has(last.reason) &&
    (last.error === null || last.error.mod !== null);
  if (isOwn) return records.length;
  let end = records.length - (last?.type === "finished" ? 1 : 0);
  for (; end > 0; end -= 1) {
    const record = records[end - 1];
    if (record?.type !== "modCall" || record.event !== "finished") break;
  }
  return end;
}
