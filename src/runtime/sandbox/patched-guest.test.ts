/**
 * A mod may replace everything in its realm, including what the guest's program uses. So the engine does not trust this
 * program: parse-reply.ts checks whatever it sends, and it holds no object that leads out of the sandbox.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LoopEvent, ModReply } from "../../core/decoder/ports/mod-host.ts";
import { connectModHost } from "./port-mod-host.ts";
import { lettersTokenizer } from "./testing/letters.ts";
import { startNodeGuest } from "./testing/node-guest.ts";
import { builtInPatches, builtInSpyText } from "./testing/patched-realms.ts";
import { createRecordingRelay, type RecordingRelay } from "./testing/relay.ts";
import { addedEvent, createForwardPassEvent, prefilledEvent } from "./testing/sample-events.ts";

const events: readonly LoopEvent[] = [
  { ...prefilledEvent, sizes: { layerCount: 3, hiddenSize: 2 } },
  createForwardPassEvent(29),
  addedEvent,
  addedEvent,
];

const ends: (() => void)[] = [];
let builtIns: readonly unknown[];
beforeEach(() => {
  builtIns = describeBuiltIns();
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  const now = describeBuiltIns();
  expect(now).toHaveLength(builtIns.length);
  expect(now.filter((part, place) => part !== builtIns[place])).toEqual([]);
});

/** The properties of the engine side's built-ins: their names and values. */
function describeBuiltIns(): readonly unknown[] {
  const kinds = [
    Object,
    Array,
    Map,
    Set,
    Promise,
    Error,
    Function,
    String,
    RegExp,
    Float32Array,
    ArrayBuffer,
  ];
  const holders = [
    ...kinds,
    ...kinds.map(({ prototype }) => prototype as object),
    JSON,
    Reflect,
    MessagePort.prototype,
  ];
  return holders.flatMap((holder) =>
    Object.entries(Object.getOwnPropertyDescriptors(holder)).flatMap(([name, { value, get, set }]) => [
      ...[name, value, get, set],
    ]),
  );
}

const modOf = (top: string, handler: string) => `import { mod } from "midtoken/mod";
${top}
export default mod({
  layers: [1],
  prefilled(event, actions) { return actions.steer({ layer: 1, vector: [1, 2], scale: 0.5 }); },
  forwardPass(event, actions) { event.logits[1] += 1; return actions.adjustLogits(event.logits); },
  added(event, actions) { ${handler} },
});
`;

interface Asked {
  readonly replies: readonly ModReply[];
  readonly relay: RecordingRelay;
  /** Questions that were asked while the guest existed. */
  readonly asked: number;
}

async function askAll(source: string, deadlineMs: number): Promise<Asked> {
  const guest = startNodeGuest(source);
  const relay = createRecordingRelay(guest.port);
  let isEnded = false;
  const end = () => {
    isEnded = true;
    guest.kill();
    relay.close();
  };
  ends.push(end);
  const host = await connectModHost(
    { port: relay.port, pingPort: guest.pingPort },
    {
      name: "patched",
      about: guest.compiled.about,
      seed: 1,
      tokenizerData: lettersTokenizer,
      deadlines: { load: 60_000, prefilled: deadlineMs, event: deadlineMs },
      onKill: end,
    },
  );
  const replies: ModReply[] = [];
  let asked = 0;
  for (const event of events) {
    if (!isEnded) asked += 1;
    replies.push(await host.ask(event));
  }
  return { replies, relay, asked };
}

/** The parts of a reply that are not plain data of this realm. */
function strangers(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? [value] : [];
  const prototype = Object.getPrototypeOf(value);
  if (ArrayBuffer.isView(value))
    return value instanceof Float32Array || value instanceof Uint32Array ? [] : [value];
  if (prototype !== Object.prototype && prototype !== Array.prototype) return [value];
  return Object.entries(Object.getOwnPropertyDescriptors(value)).flatMap(([name, own]) => {
    if (own.get || own.set) return [name];
    return Array.isArray(value) && name === "length" ? [] : strangers(own.value);
  });
}

const actionFields: Readonly<Record<string, readonly string[]>> = {
  noop: [],
  adjustLogits: ["logits"],
  forceTokens: ["tokens"],
  toolCalls: ["calls"],
  steer: ["vectors"],
};

function expectChecked({ action, fault, console }: ModReply): void {
  expect(strangers({ action, fault, console })).toEqual([]);
  const { type, ...fields } = action;
  expect(Object.keys(actionFields)).toContain(type);
  expect(Object.keys(fields)).toEqual(actionFields[type]);
  if (action.type === "forceTokens") {
    for (const token of action.tokens) expect(token >= 0 && token < 29 && Number.isInteger(token)).toBe(true);
  }
  if (action.type === "steer") {
    for (const { layer, vector, scale } of action.vectors) {
      expect([layer, vector.length]).toEqual([1, 2]);
      expect([scale, ...vector].every(Number.isFinite)).toBe(true);
    }
  }
  if (fault !== null) {
    expect(action).toEqual({ type: "noop" });
    expect(["invalid-action", "threw", "timeout", "protocol"]).toContain(fault.kind);
    expect(fault.message.length).toBeLessThan(20_000);
  }
  for (const line of console) {
    expect(Object.keys(line)).toEqual(["level", "text"]);
    expect(line.text.length).toBeLessThan(70_000);
  }
}

/** Some guests cannot answer any more. The checks also hold for a guest that its deadline has ended. */
const shortMs = 300;

test.for(builtInPatches)(
  "$name: what comes is checked, once for each question",
  async ({ patch, added: body }) => {
    const { replies, relay, asked } = await askAll(
      modOf(patch, body ?? "return actions.forceTokens([1]);"),
      shortMs,
    );
    for (const reply of replies) expectChecked(reply);
    const types = relay.said.map(({ data }) => (data as { type: unknown }).type);
    expect(relay.said.every(({ ports }) => ports === 0)).toBe(true);
    expect(types.filter((type) => type === "reply").length).toBeLessThanOrEqual(asked);
    expect(types.filter((type) => type !== "reply").length).toBeLessThanOrEqual(3);
  },
);

test("a mod that hears every call of the language is handed no port, no message and no function of the browser", async () => {
  const { replies } = await askAll(
    modOf(
      builtInSpyText,
      `console.log("found: " + finds() + "of " + (heard.length > 100)); return actions.forceTokens([1]);`,
    ),
    60_000,
  );
  expect(replies.map(({ fault }) => fault)).toEqual([null, null, null, null]);
  expect(replies.flatMap(({ console }) => console.map(({ text }) => text))).toEqual([
    "found: of true",
    "found: of true",
  ]);
});
