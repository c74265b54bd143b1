/** A mod declares the layers that it needs, and reads only those layers. */
import { describe, expect, test } from "vitest";
import type { ForwardPassEvent, ModEvent } from "./event.ts";
import { type LayerList, type ModNeeds, mod } from "./mod.ts";
import { createModRunner } from "./runner.ts";
import { letterTokenizer } from "./testing/letter-tokenizer.ts";
import { sampleWireEvents } from "./testing/wire-events.ts";
import type { LayerSizes, WireActivations } from "./wire-event.ts";

interface Declared {
  readonly layers?: LayerList;
  readonly lens?: LayerList;
}

const insideOf = (options: Declared): ModNeeds["activations"] =>
  mod({ forwardPass: () => null, ...options }).needs.activations;

describe("what a mod declares", () => {
  const rows: readonly [string, Declared, ModNeeds["activations"]][] = [
    ["nothing", {}, undefined],
    ["one layer", { layers: [12] }, { layers: [12], hiddenStates: true, lens: [] }],
    ["a lens alone", { lens: [3] }, { layers: [], hiddenStates: false, lens: [3] }],
    ["all of both", { layers: "all", lens: "all" }, { layers: "all", hiddenStates: true, lens: "all" }],
    ["in any order, twice", { layers: [9, 0, 9] }, { layers: [0, 9], hiddenStates: true, lens: [] }],
    [
      "an empty list beside one that is not",
      { layers: [], lens: [1] },
      { layers: [], hiddenStates: false, lens: [1] },
    ],
  ];
  test.each(rows)("%s", (_, options, activations) => {
    expect(insideOf(options)).toEqual(activations);
    const needs = mod({ forwardPass: () => null, ...options }).needs;
    expect("activations" in needs).toBe(activations !== undefined);
    expect(Object.isFrozen(needs.activations ?? Object.freeze({}))).toBe(true);
  });

  test("typed arrays are lists too, and later changes of a list change nothing", () => {
    const list = [4];
    const made = mod({ added: () => null, layers: list, lens: Uint8Array.of(7) as unknown as number[] });
    list.push(5);
    expect(made.needs.activations).toMatchObject({ layers: [4] });
    expect(Object.isFrozen(made.needs.activations?.layers)).toBe(true);
  });

  test("nothing is sent to a mod without a handler for it, but the layers are opened", () => {
    expect(mod({ added: () => null, layers: [1], lens: [2] }).needs.activations).toEqual({
      layers: [1],
      hiddenStates: false,
      lens: [],
    });
  });

  test("the function form takes both", () => {
    expect(mod(() => null, { layers: [1], lens: "all" }).needs.activations).toEqual({
      layers: [1],
      hiddenStates: true,
      lens: "all",
    });
  });

  const wrong: readonly [unknown, unknown, string][] = [
    [[], undefined, '"layers" is an empty list, so the model\'s layers would be opened for nothing: name'],
    [undefined, [], '"lens" is an empty list'],
    [[], [], '"layers" is an empty list'],
    ["every", undefined, '"layers" is "every": give a list of layers, for example [12], or "all".'],
    [12, undefined, '"layers" is 12: give a list of layers'],
    [null, undefined, '"layers" is null'],
    [undefined, null, '"lens" is null'],
    [{ 0: 1, length: 1 }, undefined, '"layers" is an object'],
    [[1, -1], undefined, '"layers[1]" is -1: layers are whole numbers, counted from 0, and below 1024.'],
    [[0.5], undefined, '"layers[0]" is 0.5'],
    [["1"], undefined, '"layers[0]" is "1"'],
    [[Number.NaN], undefined, '"layers[0]" is NaN'],
    [undefined, [0, 1024], '"lens[1]" is 1024'],
    [new Array(2), undefined, '"layers[0]" is undefined'],
  ];
  test.each(wrong)("layers %j, lens %j are refused", (layers, lens, sentence) => {
    const declare = () => mod({ added: () => null, layers, lens } as unknown as Parameters<typeof mod>[0]);
    expect(declare).toThrow(TypeError);
    expect(declare).toThrow(sentence);
  });
});

const sizes: LayerSizes = { layerCount: 6, hiddenSize: 2 };
const activations: WireActivations = {
  hiddenLayers: [1, 4],
  hiddenStates: Float32Array.of(10, 11, 40, 41),
  lensLayers: [0, 5],
  lens: [
    { tokens: Int32Array.of(3, 4), logprobs: Float32Array.of(-0.25, -1.5) },
    { tokens: [9], logprobs: [-2] },
  ],
};
const reads = { logits: false, topK: false, hiddenState: true, conversation: false };

/** The events that a handler sees, with their layers. */
async function seen(
  options: Declared,
  parts: { readonly sizes?: LayerSizes; readonly activations?: WireActivations },
  source = reads,
): Promise<readonly ModEvent[]> {
  const events: ModEvent[] = [];
  const all = mod((event) => void events.push(event) as undefined, options);
  const runner = createModRunner({ default: all }, { tokenizer: letterTokenizer, reads: source });
  await runner.handle({ ...sampleWireEvents.prefilled, ...(parts.sizes && { sizes: parts.sizes }) });
  await runner.handle({ ...sampleWireEvents.forwardPass, ...parts });
  return events;
}

async function forwardPass(...given: Parameters<typeof seen>): Promise<ForwardPassEvent> {
  return (await seen(...given))[1] as ForwardPassEvent;
}

const both: Declared = { layers: [1, 4, 9], lens: [0, 5] };

describe("sizes of the model", () => {
  test("stand at both events, for a mod that declared layers or a lens", async () => {
    for (const options of [both, { layers: [1] }, { lens: [1] }] satisfies Declared[]) {
      for (const event of await seen(options, { sizes })) {
        expect(event).toMatchObject({ layerCount: 6, hiddenSize: 2 });
        expect(Object.isFrozen(event)).toBe(true);
      }
    }
  });
  test("throw with the cure for another", async () => {
    const [prefilled, pass] = (await seen({}, {})) as [ForwardPassEvent, ForwardPassEvent];
    for (const event of [prefilled, pass]) {
      expect(() => event.layerCount).toThrow(
        "event.layerCount was not sent: declare the layers that the mod works with, for example mod({ layers: [12], … }).",
      );
      expect(() => event.hiddenSize).toThrow("event.hiddenSize was not sent");
    }
  });
  test("are no obstacle to copying or writing an event, and nothing else of the way here shows", async () => {
    const [prefilled] = await seen({}, {});
    expect(Object.keys({ ...prefilled }).sort()).toEqual(
      [
        "type",
        "requestId",
        "step",
        "tokens",
        "messages",
        "spans",
        "tools",
        "responseFormat",
        "maxTokens",
        "text",
      ].sort(),
    );
    const [declared] = await seen(both, { sizes });
    expect(Object.keys({ ...declared })).not.toContain("sizes");
  });
  test("say so where a host did not send them", async () => {
    const event = await forwardPass(both, {});
    expect(() => event.hiddenSize).toThrow("this event came without the model's layers");
  });
});

describe("hidden states", () => {
  test("are the layer's row, the mod's own", async () => {
    const event = await forwardPass(both, { sizes, activations });
    expect(event.hiddenState(4)).toEqual(Float32Array.of(40, 41));
    const own = event.hiddenState(1);
    own[0] = 99;
    expect(event.hiddenState(1)).toEqual(Float32Array.of(10, 11));
    expect(own.buffer.byteLength).toBe(8);
  });

  const wrong: readonly [Declared, unknown, string][] = [
    [both, 2, "hiddenState(2): layer 2 was not declared: write mod({ layers: [1, 2, 4, 9], … })."],
    [both, 9, "hiddenState(9): there is no layer 9: the model has 6 layers, 0 to 5."],
    [{ layers: "all" }, 6, "hiddenState(6): there is no layer 6"],
    [both, -1, "hiddenState(-1): the layer is -1: layers are whole numbers, counted from 0 to 5."],
    [both, 1.5, "hiddenState(1.5): the layer is 1.5"],
    [both, "4", 'the layer is "4"'],
    [both, undefined, "the layer is undefined"],
    [{ lens: [0, 5] }, 5, "layer 5 was not declared: write mod({ layers: [5], … })."],
    [{}, 3, "layer 3 was not declared: write mod({ layers: [3], … })."],
  ];
  test.each(wrong)("with %j, layer %j is refused", async (options, layer, sentence) => {
    const event = await forwardPass(options, options === wrong.at(-1)?.[0] ? {} : { sizes, activations });
    expect(() => event.hiddenState(layer as number)).toThrow(RangeError);
    expect(() => event.hiddenState(layer as number)).toThrow(sentence);
  });

  test("are not sent where the source does not name them, and the error says how to get them", async () => {
    const silent = { ...reads, hiddenState: false };
    const runner = createModRunner(
      { default: mod({ forwardPass: () => null, layers: [1] }) },
      { tokenizer: letterTokenizer, reads: silent },
    );
    expect(runner.needs.activations).toEqual({ layers: [1], hiddenStates: false, lens: [] });
    const event = await forwardPass(both, { sizes }, silent);
    expect(() => event.hiddenState(1)).toThrow(
      "hiddenState(1) was not sent: Midtoken sends it only to mods whose source contains the name `hiddenState`. Write this name in the source.",
    );
  });

  test("that a host did not send are said to be missing", async () => {
    const event = await forwardPass(both, { sizes });
    expect(() => event.hiddenState(1)).toThrow("hiddenState(1) was not sent: this event came without");
    expect(() => event.lens(0, 1)).toThrow("lens(0, 1) was not sent: this event came without");
  });
});

describe("what layers would say", () => {
  test("the k most likely, frozen", async () => {
    const event = await forwardPass(both, { sizes, activations });
    expect(event.lens(0, 1)).toEqual([{ token: 3, logprob: -0.25 }]);
    expect(event.lens(0, 0)).toEqual([]);
    expect(event.lens(5, 64)).toEqual([{ token: 9, logprob: -2 }]);
    expect(Object.isFrozen(event.lens(0, 2)) && Object.isFrozen(event.lens(0, 2)[0])).toBe(true);
  });
  const wrong: readonly [unknown, unknown, string][] = [
    [0, 65, "lens(0, 65): give a whole number of tokens, from 0 to 64."],
    [0, -1, "lens(0, -1): give a whole number"],
    [0, 1.5, "lens(0, 1.5): give a whole number"],
    [0, undefined, "lens(0, undefined): give a whole number"],
    [1, 1, "lens(1, 1): layer 1 was not declared: write mod({ lens: [0, 1, 5], … })."],
    [6, 1, "lens(6, 1): there is no layer 6: the model has 6 layers, 0 to 5."],
  ];
  test.each(wrong)("lens(%j, %j) is refused", async (layer, k, sentence) => {
    const event = await forwardPass(both, { sizes, activations });
    const call = () => event.lens(layer as number, k as number);
    expect(call).toThrow(RangeError);
    expect(call).toThrow(sentence);
  });
});

test("what steers is checked against the model of this very request", async () => {
  const steering = mod({
    layers: "all",
    prefilled: () => null,
    added: (_, actions) => actions.steer({ layer: 5, vector: [1, 2] }),
    finished: () => null,
  });
  const runner = createModRunner({ default: steering }, { tokenizer: letterTokenizer });
  const steered = (requestId: string) => runner.handle({ ...sampleWireEvents.added, requestId });
  await runner.handle({
    ...sampleWireEvents.prefilled,
    requestId: "wide",
    sizes: { ...sizes, hiddenSize: 3 },
  });
  await runner.handle({
    ...sampleWireEvents.prefilled,
    requestId: "flat",
    sizes: { ...sizes, layerCount: 5 },
  });
  await expect(steered("wide")).rejects.toThrow(
    '"steer" at "added": the vector has 2 numbers, but a hidden state of this model has 3',
  );
  await expect(steered("flat")).rejects.toThrow('"steer" at "added": there is no layer 5: the model has 5');
  await runner.handle({ ...sampleWireEvents.finished, requestId: "wide" });
  // The model's sizes are not known yet, or no longer, so the engine has to check the layer.
  expect((await steered("wide")).action).toEqual({
    type: "steer",
    vectors: [{ layer: 5, vector: Float32Array.of(1, 2), scale: 1 }],
  });
});

test("a mod that declared no layers steers nothing", async () => {
  const steering = mod({ added: (_, actions) => actions.patch({ layer: 5, vector: [1, 2] }) });
  const runner = createModRunner({ default: steering }, { tokenizer: letterTokenizer });
  await expect(runner.handle(sampleWireEvents.added)).rejects.toThrow(
    '"patch" at "added": layer 5 was not declared: write mod({ layers: [5], … }).',
  );
});
