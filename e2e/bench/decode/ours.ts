/** Midtoken as the engine's worker runs it: loadModel, a Context, decode(), text from the records, a turn now and then. */

import { KvCache } from "../../../src/core/decoder/kv-cache/kv-cache.ts";
import { decode } from "../../../src/core/decoder/loop/decode.ts";
import type { ModHost } from "../../../src/core/decoder/ports/mod-host.ts";
import type { DecodeRequest } from "../../../src/core/decoder/ports/request.ts";
import { defaultSampling, type Message, type TokenId } from "../../../src/core/sdk/request.ts";
import type { FinishedRecord, TraceRecord } from "../../../src/core/trace/format/format.ts";
import { loadModel, type ModelBundle } from "../../../src/runtime/engine/load/load-model.ts";
import { createYield } from "../../../src/runtime/session/connection/yield-control.ts";
import { createRunControl } from "../../../src/runtime/session/shared/run-control.ts";
import { checkCount, type Generated, type Rival, type Subject } from "./rival.ts";

export function openBundle({ id, folder, dtype }: Subject, device: "wasm" | "webgpu"): Promise<ModelBundle> {
  const url = new URL(folder, location.href).href;
  return loadModel({ id, url, revision: null, dtype: { webgpu: dtype, wasm: dtype } }, device);
}

export interface RunSettings {
  readonly messages: readonly Message[];
  /** In place of the messages' own. */
  readonly prompt?: readonly TokenId[];
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly seed?: number;
  readonly mods?: readonly ModHost[];
  /** An empty one unless given. */
  readonly kvCache?: KvCache;
  /** Passes read drafts along: `bench -- kv` measures those. Not unless given: here a token is to be a pass. */
  readonly drafts?: boolean;
}

export interface TimedRecord {
  readonly record: TraceRecord;
  readonly atMs: number;
}

export interface RunOutcome {
  readonly finished: FinishedRecord;
  readonly records: readonly TimedRecord[];
  readonly text: string;
  readonly endMs: number;
}

const turn = createYield();

/** One request, as session/engine-side/engine.ts makes it. */
export async function runRequest(bundle: ModelBundle, settings: RunSettings): Promise<RunOutcome> {
  const records: TimedRecord[] = [];
  let text = "";
  let delivered = 0;
  const deliver = (): void => {
    for (; delivered < records.length; delivered++) {
      const record = records[delivered]?.record;
      if (record?.type === "added") for (const token of record.tokens) text += token.text;
    }
  };
  const now = () => performance.now();
  const control = createRunControl({ turn, now, onTurn: deliver });
  const finished = await decode(requestOf(bundle, settings), {
    kvCache: settings.kvCache ?? new KvCache(bundle.model),
    tokenizer: bundle.tokenizer,
    mods: settings.mods ?? [],
    record: (record) => records.push({ record, atMs: performance.now() }),
    now,
    signal: control.signal,
    pausePoint: (at) => control.pausePoint(at),
    promptLookup: settings.drafts === true,
  });
  deliver();
  if (finished.error) throw new Error(finished.error.message);
  return { finished, records, text, endMs: performance.now() };
}

function requestOf(bundle: ModelBundle, settings: RunSettings): DecodeRequest {
  const { id, file, device, adapter, vocabularySize } = bundle.info;
  const { messages, maxTokens, temperature = 0, seed = 1, mods = [] } = settings;
  return {
    requestId: "bench",
    prompt: settings.prompt ?? bundle.formatPrompt(messages),
    messages,
    maxTokens,
    stop: [],
    seed,
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: true,
    responseFormat: null,
    sampling: { ...defaultSampling, temperature },
    onModError: "stop",
    model: { id, revision: null, file, device, adapter, vocabularySize },
    modSources: mods.map(() => ({ source: "" })),
    deadlines: null,
    createdAt: 0,
  };
}

/** The tokens that a request put out, in order; nothing was taken back. */
export function tokensOf({ records }: RunOutcome): number[] {
  return records.flatMap(({ record }) =>
    record.type === "added" ? record.tokens.map(({ token }) => token) : [],
  );
}

export function userSays(content: string): readonly Message[] {
  return [{ role: "user", content }];
}

export function ourRival(bundle: ModelBundle, content: string): Rival {
  const messages = userSays(content);
  const prompt = bundle.formatPrompt(messages);
  const going = { kvCache: new KvCache(bundle.model), text: prompt };

  async function generate(
    count: number,
    settings: Pick<RunSettings, "kvCache" | "prompt">,
  ): Promise<Generated> {
    const startMs = performance.now();
    const outcome = await runRequest(bundle, { messages, maxTokens: count, ...settings });
    const tokens = tokensOf(outcome);
    checkCount("Midtoken", tokens, count);
    const firstMs = outcome.records.find(({ record }) => record.type === "added")?.atMs ?? Number.NaN;
    const perTokenMs = (outcome.endMs - firstMs) / (count - 1);
    return { tokens, text: outcome.text, firstTokenMs: firstMs - startMs, perTokenMs };
  }

  return {
    prompt,
    generate: (count) => generate(count, {}),
    async goOn(count) {
      const generated = await generate(count, { kvCache: going.kvCache, prompt: going.text });
      going.text = [...going.text, ...generated.tokens];
      return generated;
    },
    dispose: () => bundle.model.dispose(),
  };
}
