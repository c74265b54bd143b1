/** The cost of a forced span, read from the trace of a request with a mod. */
import { inProcessMod } from "../../../src/core/decoder/testing/in-process-mod.ts";
import type { ForwardPassRecord } from "../../../src/core/trace/format/format.ts";
import { openBundle, type RunOutcome, runRequest, type TimedRecord, tokensOf, userSays } from "./ours.ts";
import type { Subject } from "./rival.ts";

export interface ForcedSpanOptions {
  readonly subject: Subject;
  readonly device: "wasm" | "webgpu";
  /** Tokens to force. */
  readonly span: number;
  readonly warmUps: number;
  readonly rounds: number;
}

export interface ForcedSpanResult {
  /** Forward passes that computed the span, and the tokens in them. */
  readonly passes: number;
  readonly tokensComputed: number;
  /** Milliseconds until the token after the span was chosen, per round. */
  readonly forcedMs: readonly number[];
  /** The same for the same tokens sampled one by one. */
  readonly stepsMs: readonly number[];
}

/** The same `span` tokens, once forced after the first token, once sampled step by step; rounds of the two in turns. */
export async function forcedSpan({
  subject,
  device,
  span,
  warmUps,
  rounds,
}: ForcedSpanOptions): Promise<ForcedSpanResult> {
  const bundle = await openBundle(subject, device);
  const messages = userSays(subject.content);
  const settings = { messages, maxTokens: span + 2 };
  const tokens = tokensOf(await runRequest(bundle, settings));
  const mod = () =>
    inProcessMod("forces a span", {
      forwardPass: ({ step }) =>
        step === 1 ? { type: "forceTokens", tokens: tokens.slice(1, span + 1) } : null,
    });

  const [forcedMs, stepsMs]: [number[], number[]] = [[], []];
  let passes: readonly ForwardPassRecord[] = [];
  for (let round = 0; round < warmUps + rounds; round++) {
    const steps = await runRequest(bundle, settings);
    const forced = await runRequest(bundle, { ...settings, mods: [mod()] });
    if (String(tokensOf(forced)) !== String(tokens)) throw new Error("The forced span led to other tokens.");
    const end = sampledAt(forced, span + 1);
    const start = forced.records.findIndex(
      ({ record }) => record.type === "added" && record.source === "forced",
    );
    passes = passesOf(forced.records.slice(start, forced.records.indexOf(end)));
    if (round < warmUps) continue;
    forcedMs.push(end.atMs - (forced.records[start]?.atMs ?? Number.NaN));
    stepsMs.push(sampledAt(steps, span + 1).atMs - sampledAt(steps, 1).atMs);
  }
  await bundle.model.dispose();
  return { passes: passes.length, tokensComputed: tokenSum(passes), forcedMs, stepsMs };
}

/** The choice of the token at `step`. */
function sampledAt({ records }: RunOutcome, step: number): TimedRecord {
  const found = records.find(({ record }) => record.type === "sampled" && record.step === step);
  if (!found) throw new Error(`The trace has no choice at step ${step}.`);
  return found;
}

/** Runs of the model. */
function passesOf(records: readonly TimedRecord[]): ForwardPassRecord[] {
  return records
    .map(({ record }) => record)
    .filter((record): record is ForwardPassRecord => record.type === "forwardPass" && record.tokenCount > 0);
}

function tokenSum(passes: readonly ForwardPassRecord[]): number {
  return passes.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
}
