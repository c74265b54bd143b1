/** Mods that steer and patch to break the loop, its record, or what comes after them. */
import { describe, expect, test } from "vitest";
import type { TraceRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { LoopEvent, ModHost } from "../ports/mod-host.ts";
import { verifyReplay } from "../replay/verify.ts";
import { byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { computedStates, hiddenSize, layeredModel, logitsOf } from "../testing/layered-model.ts";
import { decodeRequest, runDecode } from "../testing/run-decode.ts";

/** A mod that may steer and patch every layer, and reads none. */
function steeringMod(name: string, handlers: Handlers, more: Partial<ModHost> = {}): ModHost {
  const host = inProcessMod(name, handlers);
  const needs = {
    topK: 0,
    logits: false,
    activations: { layers: "all", hiddenStates: false, lens: [] },
  } as const;
  return { ...host, ask: host.ask, dispose: host.dispose, needs, ...more };
}

const row = (number: number) => new Float32Array(hiddenSize).fill(number);
const steer = (layer: number, number: number, scale = 1) => ({
  type: "steer",
  vectors: [{ layer, vector: row(number), scale }],
});

describe("vectors whose sum is finite only together", () => {
  const failing = (event: LoopEvent) => {
    if ("step" in event && event.step >= 2) throw new Error("I fail.");
    return null;
  };
  const mods = () => [
    steeringMod("up", { prefilled: () => steer(0, 3e38) }),
    steeringMod("down", { prefilled: () => steer(0, -3e38), forwardPass: failing }),
    steeringMod("up again", { prefilled: () => steer(0, 3e38) }),
  ];

  test("one that fails leaves the others to go on, or to end with a message", async () => {
    const { finished } = await runDecode({
      kvCache: new KvCache(layeredModel()),
      mods: mods(),
      request: { onModError: "continue" },
    });
    expect(finished.reason).toBe("error");
    expect(finished.error?.message).toMatch(/scaled and added up|smaller/);
  });

  test("where the request is to stop, it says which mod failed, and no other error comes", async () => {
    const { finished } = await runDecode({
      kvCache: new KvCache(layeredModel()),
      mods: mods(),
      request: { onModError: "stop" },
    });
    expect(finished.error?.message).toMatch(/The mod "down" failed/);
  });
});

describe("a mod that reads the model's sizes is verified without the model", () => {
  const handlers: Handlers = {
    forwardPass: ({ step, sizes }) => {
      if (!sizes) throw new Error("event.hiddenSize was not sent.");
      return step % 2 === 0
        ? {
            type: "steer",
            vectors: [{ layer: 1, vector: new Float32Array(sizes.hiddenSize).fill(step), scale: 1 }],
          }
        : null;
    },
  };
  test.each([1, 2, 16])("%d questions at once", async (pipelineDepth) => {
    const model = layeredModel();
    const about = {
      ...decodeRequest("abcd").model,
      layers: { layerCount: model.layers.count, hiddenSize },
    };
    const request = { model: about, maxTokens: 8 };
    const { records } = await runDecode({
      kvCache: new KvCache(model),
      mods: [steeringMod("even", handlers)],
      request,
    });
    const found = await verifyReplay(
      decodeRequest("abcd", { ...request, modSources: [{ source: "source of even" }] }),
      records,
      {
        tokenizer: byteTokenizer,
        mods: [steeringMod("even", handlers, { pipelineDepth })],
        now: () => 0,
      },
    );
    expect(found).toEqual({
      calls: records.filter(({ type }) => type === "modCall").length,
      difference: null,
      missing: null,
    });
  });
});

/** A model of wide layers that computes nothing: each vector for all of them is a megabyte. */
function wideModel(): LanguageModel {
  const wide = { count: 4, hiddenSize: 65_536 };
  let length = 0;
  return {
    vocabularySize: byteTokenizer.vocabSize,
    capacity: 4096,
    promptPassTokens: 512,
    endOfSequence: [END],
    get length() {
      return length;
    },
    async forward(tokens, rows = 1) {
      length += tokens.length;
      // Says the same letter for ever.
      const { vocabSize } = byteTokenizer;
      return Float32Array.from({ length: rows * vocabSize }, (_, i) => (i % vocabSize === 65 ? 1 : 0));
    },
    truncate(to) {
      length = to;
    },
    layers: {
      ...wide,
      steer() {},
      keep() {},
      hidden: async () => new Float32Array(wide.hiddenSize),
      lens: async () => new Float32Array(byteTokenizer.vocabSize),
    },
    async dispose() {},
  };
}

test("a mod that steers by other vectors at each token does not fill the memory", async () => {
  const handlers: Handlers = {
    forwardPass: ({ step, sizes }) => ({
      type: "steer",
      vectors: Array.from({ length: sizes?.layerCount ?? 0 }, (_, layer) => ({
        layer,
        vector: new Float32Array(sizes?.hiddenSize ?? 0).fill(1 + step + layer),
        scale: 1,
      })),
    }),
  };
  const kvCache = new KvCache(wideModel());
  const { finished } = await runDecode({
    kvCache,
    mods: [steeringMod("ever new", handlers)],
    request: { maxTokens: 80, budget: 1000 },
  });
  let bytes = 0;
  for (let id = 1; id <= 80; id++) {
    try {
      for (const vector of kvCache.activations?.steerings.vectorsOf(id).values() ?? [])
        bytes += vector.byteLength;
    } catch {
      // Forgotten.
    }
  }
  expect(bytes).toBeLessThan(66 * 2 ** 20);
  expect(finished.error?.message).toMatch(
    /too many different steering vectors: all vectors of one request together may hold at most/,
  );
  const next = await runDecode({ kvCache, request: { maxTokens: 5 } });
  expect(next.finished.error).toBe(null);
});

/** The tokens that the record ends with, of which what was taken back is gone. */
function textOf(records: readonly TraceRecord[]): number[] {
  const text: number[] = [];
  for (const record of records) {
    if (record.type === "prefilled") text.push(...record.tokens.map(({ token }) => token));
    if (record.type === "added") text.push(...record.tokens.map(({ token }) => token));
    if (record.type === "backtracked") text.length -= record.removed.length;
  }
  return text;
}

test("a patch holds in the next pass, also where that pass reads again the last token that stays", async () => {
  const patched = row(0.7);
  let isDone = false;
  const patching = steeringMod("patch", {
    added: ({ step }) => {
      if (step !== 4 || isDone) return null;
      return { type: "patch", layer: 2, vector: patched };
    },
  });
  const cutting = steeringMod("cut", {
    added: ({ step }) => {
      if (step !== 4 || isDone) return null;
      isDone = true;
      return { type: "backtrack", count: 2 };
    },
  });
  const { records } = await runDecode({
    kvCache: new KvCache(layeredModel()),
    mods: [patching, cutting],
    request: { maxTokens: 4 },
  });
  const cut = records.findIndex(({ type }) => type === "backtracked");
  expect(cut).toBeGreaterThan(0);
  const next = records.slice(cut).find((record) => record.type === "forwardPass");
  if (next?.type !== "forwardPass" || !next.before) throw new Error("No pass came after the cut.");
  const text = textOf(records.slice(0, cut + 1));
  const last = computedStates(
    text.map((token, place) => ({
      token,
      vectors: new Map(),
      ...(place === text.length - 1 && { patches: new Map([[2, patched]]) }),
    })),
  ).at(-1)?.[2];
  const logits = logitsOf(last as Float32Array);
  const best = logits.indexOf(Math.max(...logits));
  expect(next.before.top[0]?.token).toBe(best);
});
