/**
 * A pass that ran but was not kept has no effect, in caches of every kind: on WebGPU, passes begin before it is known
 * whether they are needed (single-token-passes.ts). The passes of this test copy and write numbers like the runtime's
 * operators, in arrays instead of device memory.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mix32 } from "../../../core/base/random.ts";
import type { DecoderGraph } from "../onnx/decoder-graph.ts";
import { createDecoderCache } from "./create-decoder-cache.ts";
import type { DecoderCache } from "./decoder-cache.ts";
import type { DeviceMemory } from "./device-memory.ts";

type Block = Uint8Array<ArrayBuffer>;

const memory: DeviceMemory<Block, Float32Array> = {
  mostBytes: 2 ** 20,
  allocate: (sizes) => sizes.map((size) => new Uint8Array(size)),
  hasRoom: () => true,
  free(blocks) {
    for (const block of blocks) block.fill(0xff);
  },
  copy(copies) {
    for (const { source, from, target, to, bytes } of copies)
      target.set(source.subarray(from, from + bytes), to);
  },
  tensor: (block, _, dims) =>
    new Float32Array(
      block.buffer,
      0,
      dims.reduce((a, b) => a * b, 1),
    ),
  release() {},
};

const heads = 2;
const named = (name: string) => ({ input: name, output: name, type: "float32" as const });

function cacheOf(cacheKind: DecoderGraph["cacheKind"], hasState: boolean): DecoderCache<Float32Array> {
  const states = hasState ? [{ ...named("state"), dims: [1] }] : [];
  const caches = [{ ...named("keys"), heads, headSize: 1 }];
  return createDecoderCache({ cacheKind, caches, states } as unknown as DecoderGraph, memory);
}

/** The state after these tokens, as a recurrence computes it. */
function stateAfter(tokens: readonly number[], before = 0): number {
  return tokens.reduce((state, token) => Math.fround(mix32(state + token) % 4096), before);
}

/** Runs a pass. Returns what it read and wrote: the rows of each head, and the state. */
function run(cache: DecoderCache<Float32Array>, isStatic: boolean, past: number, tokens: readonly number[]) {
  const bound = cache.bind(past, tokens.length);
  const [before, after] = [bound.past[0] as Float32Array, bound.present[0] as Float32Array];
  const length = past + tokens.length;
  const rows = Array.from({ length: heads }, (_, head) => {
    const [from, to] = isStatic ? [head * cache.rows, head * cache.rows] : [head * past, head * length];
    const all = [...before.subarray(from, from + past), ...tokens.map((token) => token + head)];
    after.set(all, to);
    return all;
  });
  const state = bound.past[1] && stateAfter(tokens, bound.past[1][0]);
  if (state !== undefined) bound.present[1]?.fill(state);
  return { rows, state };
}

const token = fc.integer({ min: 1, max: 99 });
const step = fc.record({
  keep: fc.integer({ min: 0, max: 12 }),
  tokens: fc.array(token, { minLength: 1, maxLength: 3 }),
  /** Passes of one token that run afterwards and are not kept. */
  unkept: fc.array(token, { maxLength: 2 }),
});

test.each([
  ["shared-cache", false],
  ["shared-cache", true],
  ["growing-cache", false],
  ["growing-cache", true],
] as const)("%s, with states: %s", async (kind, hasState) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const cache = cacheOf(kind, hasState);
      await cache.grow(8, 0);
      let text: number[] = [];
      for (const { keep, tokens, unkept } of steps) {
        text = text.slice(0, cache.rewind(Math.min(keep, text.length)));
        if (text.length + tokens.length + 1 > cache.rows) await cache.grow(2 * cache.rows, text.length);
        const found = run(cache, kind === "shared-cache", text.length, tokens);
        text.push(...tokens);
        cache.keep(text.length);
        expect(found.rows).toEqual(Array.from({ length: heads }, (_, head) => text.map((t) => t + head)));
        expect(found.state).toBe(hasState ? stateAfter(text) : undefined);
        for (const other of unkept) run(cache, kind === "shared-cache", text.length, [other]);
      }
    }),
  );
});
