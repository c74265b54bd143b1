/** The cost of a forced span and of a backtrack, read from the trace of a request with a mod. */
import { inProcessMod } from "../../../src/core/decoder/testing/in-process-mod.ts";
import type { ForwardPassRecord } from "../../../src/core/trace/format/format.ts";
import type { ModelBundle } from "../../../src/runtime/engine/load/load-model.ts";
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

export interface BacktrackResult {
  /** Tokens in the context when the mod goes back, and after the pass. */
  readonly contextLength: number;
  readonly contextAfter: number;
  readonly passes: number;
  readonly tokensComputed: number;
}

export interface BacktrackOptions {
  readonly contextLength: number;
  readonly removed: number;
  /** New tokens in their place. */
  readonly replacement: number;
}

/** Once the context holds `contextLength` tokens, a mod goes back `removed` and puts others in their place. */
export async function backtrack(
  subject: Subject,
  cases: readonly BacktrackOptions[],
): Promise<BacktrackResult[]> {
  const bundle = await openBundle(subject, "wasm");
  const results: BacktrackResult[] = [];
  for (const options of cases) results.push(await backtrackOnce(bundle, subject, options));
  await bundle.model.dispose();
  return results;
}

async function backtrackOnce(
  bundle: ModelBundle,
  subject: Subject,
  { contextLength, removed, replacement }: BacktrackOptions,
): Promise<BacktrackResult> {
  const messages = userSays(subject.content);
  const atStep = contextLength - bundle.formatPrompt(messages).length;
  const tokens = bundle.tokenizer
    .encode(" and then they all went home again".repeat(9))
    .slice(0, replacement);
  let isDone = false;
  const mod = inProcessMod("goes back", {
    forwardPass: ({ step }) => {
      if (step !== atStep || isDone) return null;
      isDone = true;
      return { type: "backtrack", count: removed, tokens };
    },
  });
  const { records } = await runRequest(bundle, { messages, maxTokens: atStep + 1, mods: [mod] });
  const start = records.findIndex(({ record }) => record.type === "backtracked");
  const end = records.findIndex(({ record }, i) => i > start && record.type === "sampled");
  const before = passesOf(records.slice(0, start)).at(-1);
  const passes = passesOf(records.slice(start, end));
  return {
    contextLength: before?.contextLength ?? 0,
    contextAfter: passes.at(-1)?.contextLength ?? 0,
    passes: passes.length,
    tokensComputed: tokenSum(passes),
  };
}
