/** Guests that declare layers and reply with invalid vectors. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LoopEvent } from "../../core/decoder/ports/mod-host.ts";
import { steerActionLimits } from "../../core/sdk/vector-arguments.ts";
import { readReady } from "./parse-reply.ts";
import { type HostileGuestBehaviour, readyMessage, startHostileGuest } from "./testing/hostile-guest.ts";
import { addedEvent, prefilledEvent as samplePrefilled } from "./testing/sample-events.ts";

const prefilled: LoopEvent = { ...samplePrefilled, sizes: { layerCount: 4, hiddenSize: 3 } };

const needs = {
  topK: 0,
  logits: false,
  activations: { layers: [0, 2], hiddenStates: false, lens: [] },
};
/** A guest that declared layers 0 and 2, and replies with this action. */
const answering = (action: unknown, declared: unknown = needs): HostileGuestBehaviour => ({
  onInit: ({ run }, post) => post({ ...readyMessage, run, handles: ["prefilled", "added"], needs: declared }),
  onEvent: (reply, post) => post({ ...reply, action }),
});

describe("guests that lie", () => {
  const vector = Float32Array.of(1, 2, 3);
  const good = { layer: 2, vector, scale: 1 };
  const steer = (...vectors: readonly unknown[]) => ({ type: "steer", vectors });

  test("one that does not is believed, and what it said is built anew", async () => {
    const { host, state } = await startHostileGuest(
      answering({ ...steer({ ...good, extra: 1 }, { ...good, layer: 0, scale: -0 }), more: 1 }),
    );
    const { action } = await host.ask(prefilled);
    expect(action).toEqual(steer(good, { ...good, layer: 0, scale: 0 }));
    const patching = await startHostileGuest(answering({ type: "patch", layer: 0, vector, scale: 3 }));
    expect((await patching.host.ask(prefilled)).action).toEqual({ type: "patch", layer: 0, vector });
    expect(state.kills).toBe(0);
  });

  const growing = new (ArrayBuffer as unknown as new (length: number, options: object) => ArrayBuffer)(12, {
    maxByteLength: 24,
  });
  const rows: readonly [string, unknown, unknown?][] = [
    ["no list of vectors", { type: "steer" }],
    ["a vector in the list's place", { type: "steer", vectors: vector }],
    ["an endless list", steer(...new Array(steerActionLimits.vectors + 1).fill(good))],
    ["a list of holes", { type: "steer", vectors: Object.assign([], { length: 3 }) }],
    ["an entry that is null", steer(null)],
    ["an entry that is a vector", steer(vector)],
    ["a vector in a list", steer({ ...good, vector: [1, 2, 3] })],
    ["a vector of doubles", steer({ ...good, vector: Float64Array.of(1, 2, 3) })],
    ["a vector of whole numbers", { type: "patch", layer: 2, vector: Int32Array.of(1, 2, 3) }],
    ["no vector", { type: "patch", layer: 2 }],
    ["a vector that is too short", steer({ ...good, vector: vector.slice(1) })],
    ["a vector that is too long", { type: "patch", layer: 2, vector: new Float32Array(4) }],
    ["a vector without numbers", steer({ ...good, vector: new Float32Array(0) })],
    ["a part of something larger", steer({ ...good, vector: new Float32Array(1_000).subarray(0, 3) })],
    ["shared memory", steer({ ...good, vector: new Float32Array(new SharedArrayBuffer(12)) })],
    ["memory that may grow", { type: "patch", layer: 2, vector: new Float32Array(growing) }],
    ["a layer that was not declared", steer({ ...good, layer: 1 })],
    ["a layer that was not declared, to patch", { type: "patch", layer: 3, vector }],
    ["a layer that does not exist", steer({ ...good, layer: 4 }), { ...needs.activations, layers: "all" }],
    ["a negative layer", steer({ ...good, layer: -1 }), { ...needs.activations, layers: "all" }],
    ["half a layer", steer({ ...good, layer: 0.5 }), { ...needs.activations, layers: "all" }],
    ["a layer in a text", steer({ ...good, layer: "2" })],
    ["no scale", steer({ layer: 2, vector })],
    ["NaN for a scale", steer({ ...good, scale: Number.NaN })],
    ["an infinite scale", steer({ ...good, scale: Number.NEGATIVE_INFINITY })],
    ["a scale in a text", steer({ ...good, scale: "1" })],
  ];
  test.each(rows)("%s stops it", async (_, action, activations = needs.activations) => {
    const { host, state } = await startHostileGuest(answering(action, { ...needs, activations }));
    expect(host.needs.activations).toEqual(activations);
    expect((await host.ask(prefilled)).fault?.kind).toBe("protocol");
    expect(state.kills).toBe(1);
  });

  test.each([[steer(good)], [{ type: "patch", layer: 2, vector }]])(
    "a guest that declared no layers is stopped at %j",
    async (action) => {
      const { host, state } = await startHostileGuest(answering(action, { topK: 0, logits: false }));
      expect((await host.ask(prefilled)).fault).toMatchObject({
        kind: "protocol",
        message: expect.stringContaining("the mod declared no layers"),
      });
      expect(state.kills).toBe(1);
    },
  );

  test("numbers that are not finite are an invalid action", async () => {
    for (const [action, place] of [
      [steer(good, { ...good, vector: Float32Array.of(1, Number.NaN, 3) }), "vector[1] is NaN"],
      [{ type: "patch", layer: 0, vector: Float32Array.of(1, 2, -Infinity) }, "vector[2] is -Infinity"],
      [steer({ ...good, scale: 2e38 }), "the vector times 2e+38 is too large"],
    ] as const) {
      const { host, state } = await startHostileGuest(answering(action));
      const { fault, action: taken } = await host.ask(addedEvent);
      expect(fault).toMatchObject({ kind: "invalid-action", message: expect.stringContaining(place) });
      expect(taken).toEqual({ type: "noop" });
      expect(state.kills).toBe(0);
    }
  });

  test("as many numbers as no model takes stop it, whatever its model is", async () => {
    const vectors = new Array(200).fill({ ...good, vector: new Float32Array(30_000) });
    const { host, state } = await startHostileGuest(answering({ type: "steer", vectors }));
    expect((await host.ask(addedEvent)).fault).toMatchObject({
      kind: "protocol",
      message: expect.stringContaining("more than 4194304 numbers"),
    });
    expect(state.kills).toBe(1);
    const long = { type: "patch", layer: 2, vector: new Float32Array(steerActionLimits.hiddenSize + 1) };
    const other = await startHostileGuest(answering(long));
    expect((await other.host.ask(addedEvent)).fault?.kind).toBe("protocol");
  });

  const declared: readonly [string, unknown][] = [
    ["null", null],
    ["a list", []],
    ["no layers", { hiddenStates: true, lens: [] }],
    ["no lens", { layers: [1], hiddenStates: true }],
    ["another text than all", { layers: "ALL", hiddenStates: true, lens: [] }],
    ["hidden states by a number", { layers: [1], hiddenStates: 1, lens: [] }],
    ["a layer twice", { layers: [1, 1], hiddenStates: true, lens: [] }],
    ["layers in no order", { layers: [], hiddenStates: false, lens: [3, 1] }],
    ["a layer above all", { layers: [1024], hiddenStates: true, lens: [] }],
    ["a negative layer", { layers: [-1], hiddenStates: true, lens: [] }],
    ["layers in typed memory", { layers: Int32Array.of(1), hiddenStates: true, lens: [] }],
    ["layers without end", { layers: new Array(1e5).fill(1), hiddenStates: true, lens: [] }],
    ["holes", { layers: new Array(3), hiddenStates: true, lens: [] }],
  ];
  test.each(declared)("a guest that declares %s does not begin", async (_, activations) => {
    const { host, state } = await startHostileGuest(answering({ type: "noop" }, { ...needs, activations }));
    expect([...host.handles]).toEqual(["prefilled"]);
    expect(host.needs.activations).toBeUndefined();
    expect((await host.ask(prefilled)).fault?.kind).toBe("protocol");
    expect(state.kills).toBe(1);
  });
});

test("whatever a guest answers, the engine gets finite vectors for declared layers of its model, or a fault", async () => {
  const anyNumber = fc.oneof(fc.double(), fc.integer({ min: -2, max: 5 }), fc.anything());
  const anyVector = fc.oneof(
    fc.float32Array({ minLength: 2, maxLength: 4 }),
    fc.float32Array({ minLength: 3, maxLength: 3, noNaN: true, noDefaultInfinity: true }),
    fc.float64Array({ maxLength: 3 }),
    fc.anything(),
  );
  const fields = { layer: fc.oneof(fc.constantFrom(0, 2), anyNumber), vector: anyVector };
  const entry = fc.oneof(
    fc.record({ ...fields, scale: fc.oneof(fc.constantFrom(1, -2.5), anyNumber) }),
    fc.anything(),
  );
  const action = fc.oneof(
    fc.record({
      type: fc.constant("steer"),
      vectors: fc.oneof(fc.array(entry, { maxLength: 3 }), fc.anything()),
    }),
    fc.record({ type: fc.constant("patch"), ...fields }),
    fc.record({ type: fc.constantFrom("steer", "patch", "noop"), tokens: fc.anything() }),
  );
  let taken = 0;
  let host = await startHostileGuest(answering({ type: "noop" }));
  let said: unknown;
  const restart = async () => {
    host = await startHostileGuest({
      ...answering(null),
      onEvent: (reply, post) => post({ ...reply, action: said }),
    });
  };
  await restart();
  await fc.assert(
    fc.asyncProperty(action, async (answer) => {
      try {
        structuredClone(answer);
      } catch {
        return;
      }
      said = answer;
      const { action: got, fault } = await host.host.ask(prefilled);
      if (fault !== null) {
        expect(got).toEqual({ type: "noop" });
        if (fault.kind === "protocol") await restart();
        return;
      }
      const steered = got.type === "steer" ? got.vectors : [];
      const vectors = got.type === "patch" ? [{ ...got, scale: 1 }] : steered;
      for (const { layer, vector, scale } of vectors) {
        taken += 1;
        expect([0, 2]).toContain(layer);
        expect(vector).toBeInstanceOf(Float32Array);
        expect(vector).toHaveLength(3);
        expect([...vector].every((number) => Number.isFinite(Math.fround(number * scale)))).toBe(true);
      }
    }),
    { numRuns: 600 },
  );
  expect(taken).toBeGreaterThan(30);
});

test("needs without layers stay without them", () => {
  const { needs: read } = readReady({ handles: [], needs: { topK: 0, logits: false } });
  expect("activations" in read).toBe(false);
});
