/** Activations on their way into the sandbox and vectors on their way out, with the real guest. */
import { afterEach, describe, expect, test } from "vitest";
import type { LoopEvent, ModReply, StepActivations } from "../../core/decoder/ports/mod-host.ts";
import { maximumLensTokens } from "../../core/sdk/activation-needs.ts";
import type { ActivationNeeds } from "../../core/sdk/mod.ts";
import { connectModHost } from "./port-mod-host.ts";
import { lettersTokenizer } from "./testing/letters.ts";
import { type NodeGuest, startNodeGuest } from "./testing/node-guest.ts";
import {
  addedEvent,
  createForwardPassEvent,
  prefilledEvent as samplePrefilled,
} from "./testing/sample-events.ts";
import { toWireEvent } from "./to-wire-event.ts";

const started: NodeGuest[] = [];
afterEach(() => {
  for (const guest of started.splice(0)) guest.kill();
});

const sizes = { layerCount: 4, hiddenSize: 3 } as const;
/** Unordered, and with more layers than one mod needs, because the loop saves the layers of all mods. */
const live: StepActivations = {
  hiddenStates: new Map([2, 0, 3].map((layer) => [layer, Float32Array.of(layer, layer + 0.5, -layer)])),
  lens: new Map(
    [3, 1].map((layer) => [
      layer,
      {
        tokens: Int32Array.from({ length: 80 }, (_, place) => place + layer),
        logprobs: Float32Array.from({ length: 80 }, (_, place) => -place),
      },
    ]),
  ),
};
const forwardPass: LoopEvent = { ...createForwardPassEvent(29), sizes, activations: live };
const prefilled: LoopEvent = { ...samplePrefilled, sizes };

async function ask(source: string, events: readonly LoopEvent[]): Promise<readonly ModReply[]> {
  const guest = startNodeGuest(`import { mod } from "midtoken/mod";\n${source}`);
  started.push(guest);
  const host = await connectModHost(guest, {
    name: "test",
    about: guest.compiled.about,
    seed: 1,
    tokenizerData: lettersTokenizer,
    deadlines: { load: 60_000, prefilled: 60_000, event: 60_000 },
    onKill: () => guest.kill(),
  });
  const replies: ModReply[] = [];
  for (const event of events) replies.push(await host.ask(event));
  return replies;
}

describe("what is sent", () => {
  const wireOf = (activations: ActivationNeeds | undefined, event: LoopEvent = forwardPass) =>
    toWireEvent(event, {
      needs: { topK: 0, logits: false, ...(activations && { activations }) },
      output: null,
    });

  const rows: readonly [string, ActivationNeeds | undefined, object][] = [
    ["a mod that declared nothing is sent nothing", undefined, {}],
    ["sizes alone where it reads no layer", { layers: [2], hiddenStates: false, lens: [] }, { sizes }],
    [
      "hidden states of declared layers, ascending",
      { layers: [0, 2], hiddenStates: true, lens: [] },
      {
        sizes,
        activations: {
          hiddenLayers: [0, 2],
          hiddenStates: Float32Array.of(0, 0.5, -0, 2, 2.5, -2),
          lensLayers: [],
          lens: [],
        },
      },
    ],
    [
      "of layers that the model does not have, nothing",
      { layers: [1, 3, 900], hiddenStates: true, lens: [900] },
      {
        sizes,
        activations: {
          hiddenLayers: [3],
          hiddenStates: Float32Array.of(3, 3.5, -3),
          lensLayers: [],
          lens: [],
        },
      },
    ],
    [
      "all of them",
      { layers: "all", hiddenStates: true, lens: "all" },
      { activations: { hiddenLayers: [0, 2, 3], lensLayers: [1, 3] } },
    ],
  ];
  test.each(rows)("%s", (_, needs, expected) => {
    const { wire, transfer } = wireOf(needs);
    expect("sizes" in wire).toBe(needs !== undefined);
    expect("activations" in wire).toBe((expected as { activations?: object }).activations !== undefined);
    expect(wire).toMatchObject(expected);
    expect(structuredClone(wire, { transfer })).toMatchObject(expected);
    // The message contains copies, so the loop's own rows stay complete for the next mod.
    expect([...live.hiddenStates.values()].map(({ length }) => length)).toEqual([3, 3, 3]);
    const [before] = [wireOf(needs, prefilled).wire];
    expect("sizes" in before).toBe(needs !== undefined);
  });

  test("at most 64 tokens of what a layer would say, and no memory around them", () => {
    const { wire } = wireOf({ layers: [], hiddenStates: false, lens: [3] });
    const { lens = [], lensLayers } =
      (wire as Extract<typeof wire, { type: "forwardPass" }>).activations ?? {};
    expect(lensLayers).toEqual([3]);
    const [{ tokens } = { tokens: [] }] = lens;
    expect(tokens).toHaveLength(maximumLensTokens);
    expect(tokens).toMatchObject({ buffer: { byteLength: 4 * maximumLensTokens } });
  });
});

describe("the real guest", () => {
  test("a mod reads sizes, hidden states and lenses", async () => {
    const source = `export default mod({ layers: [0, 3], lens: [1], prefilled: (e) => console.log(e.layerCount, e.hiddenSize),
  forwardPass(e) { console.log(e.hiddenState(3).join(), e.hiddenState(0).join(), e.lens(1, 2).map((t) => t.token).join(), e.layerCount); } });`;
    const replies = await ask(source, [prefilled, forwardPass, forwardPass]);
    expect(replies.map(({ fault, console }) => fault?.message ?? console[0]?.text)).toEqual([
      ...["4 3", "3,3.5,-3 0,0.5,0 1,2 4", "3,3.5,-3 0,0.5,0 1,2 4"],
    ]);
  });

  test("hidden states are sent only where the source names them", async () => {
    const source = `export default mod({ layers: [0], forwardPass(e) { console.log(e["hidden" + "State"](0)); } });`;
    const [reply] = await ask(source, [forwardPass]);
    expect(reply?.fault?.message).toContain("only to mods whose source contains the name `hiddenState`");
  });

  const built: readonly [string, unknown][] = [
    [
      "steer({ layer: 2, vector: [1, 0.5, -2], scale: -2 })",
      { type: "steer", vectors: [{ layer: 2, vector: Float32Array.of(1, 0.5, -2), scale: -2 }] },
    ],
    ["steer(null)", { type: "steer", vectors: [] }],
    [
      "steer([0, 1, 2, 3].map((layer) => ({ layer, vector: new Float32Array(3).fill(layer) })))",
      {
        type: "steer",
        vectors: [0, 1, 2, 3].map((layer) => ({
          layer,
          vector: new Float32Array(3).fill(layer),
          scale: 1,
        })),
      },
    ],
    [
      "patch({ layer: 3, vector: event.hiddenState?.(3) ?? [7, 8, 9] })",
      { type: "patch", layer: 3, vector: Float32Array.of(7, 8, 9) },
    ],
  ];
  test.each(built)("%s arrives as it was built, with its line, again and again", async (call, action) => {
    const source = `export default mod({ layers: "all", added(event: any, actions) {\n  return actions.${call};\n} });`;
    for (const reply of await ask(source, [addedEvent, addedEvent])) {
      expect(reply).toMatchObject({ action, fault: null, line: 3 });
    }
  });

  test.each(["patch", "steer"])("a %s that is returned again is whole again", async (name) => {
    const source = `let kept: any; export default mod({ layers: [1], added: (_, actions) => (kept ??= actions.${name}({ layer: 1, vector: [1, 2, 3] })) });`;
    const [first, second] = await ask(source, [addedEvent, addedEvent]);
    expect(JSON.stringify(first?.action)).toContain('"vector":{"0":1,"1":2,"2":3}');
    expect(second?.action).toEqual(first?.action);
  });

  test("a vector that does not fit is the mod's mistake, at its line, once the model is known", async () => {
    const source = `export default mod({ layers: [1], prefilled() {}, added(_, actions) {\n\n  return actions.steer({ layer: 1, vector: [1, 2] });\n} });`;
    const [, reply] = await ask(source, [prefilled, addedEvent]);
    expect(reply?.fault).toMatchObject({
      kind: "invalid-action",
      message: expect.stringContaining("the vector has 2 numbers"),
      line: 4,
    });
  });

  test("numbers written into an action that is built are told, and the mod goes on", async () => {
    const source = `export default mod({ layers: [1], added(_, actions) {
  const action = actions.steer({ layer: 1, vector: [1, 2, 3] });
  action.vectors[0].vector[1] = NaN;
  return action;
} });`;
    for (const { action, fault } of await ask(source, [addedEvent, addedEvent])) {
      expect(action).toEqual({ type: "noop" });
      expect(fault).toMatchObject({
        kind: "invalid-action",
        line: 3,
        message:
          '"steer" at "added": vector[1] is NaN: give finite numbers. Do not change an action after you have built it.',
      });
    }
  });

  test("options that are wrong stop the file, with the sentence", async () => {
    const [reply] = await ask(`export default mod({ layers: [], added() {} });`, [prefilled]);
    expect(reply?.fault).toMatchObject({
      kind: "threw",
      message: expect.stringContaining('"layers" is an empty list'),
    });
  });
});
