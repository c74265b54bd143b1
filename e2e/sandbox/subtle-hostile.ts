/** Attempts of a second kind on the protocol and on the machine's patience: see hostile.ts. */
import { builtInPatches, builtInSpyText } from "../../src/runtime/sandbox/testing/patched-realms.ts";
import { type Hostile, protocol } from "./hostile.ts";
import { vectorAttempts } from "./vector-hostile.ts";

/** Names of `builtInPatches` in which the browser's own code meets the mod's patches; Node's tests try the others. */
const patchedInBrowsers: readonly string[] = [
  ...["every object can be awaited", "a promise's constructor is the mod's", "lists give foreign things"],
  ...["lists give functions", "species is the mod's", "texts are functions"],
];

/** A reply with a row of the mod's own, in memory that `memory` makes. */
const rowIn = (memory: string) =>
  `let row; try { row = ${memory}; } catch { post(reply); } if (row) post({ ...reply, action: { type: "adjustLogits", edit: { kind: "whole", logits: row } } });`;

/** As `protocol`, for messages that are large: where one takes longer than the deadline to cross, the deadline ends it. */
const large = { faults: ["protocol|timeout", "protocol|timeout"] } as const;

/** A second list of the same kind: memory and objects that only look like an answer, and guests that do something beside it. */
export const subtleProtocolAttempts: readonly Hostile[] = [
  ...vectorAttempts,
  protocol(
    "a row in shared memory",
    rowIn(
      `new Float32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer, 0, 257)`,
    ),
    { event: "forwardPass", faults: ["protocol|timeout", "protocol|timeout"] },
  ),
  protocol("a row inside of much more", rowIn(`new Float32Array(new ArrayBuffer(1 << 24), 64, 257)`), {
    event: "forwardPass",
    ...large,
  }),
  protocol(
    "a row that can grow",
    rowIn(`new Float32Array(new ArrayBuffer(4 * 257, { maxByteLength: 1 << 20 }))`),
    {
      event: "forwardPass",
    },
  ),
  protocol("a map for an action", `post({ ...reply, action: new Map([["type", "noop"]]) });`),
  protocol(
    "an error for an action",
    `post({ ...reply, action: Object.assign(new Error("x"), { type: "eval" }) });`,
  ),
  protocol(
    "a list of holes without end",
    `post({ ...reply, action: { type: "forceTokens", tokens: Object.assign([], { length: 4294967295 }) } });`,
  ),
  protocol(
    "lists in lists in lists",
    `let deep = []; for (let level = 0; level < 1000; level++) deep = [deep]; post({ ...reply, action: { type: "forceTokens", tokens: deep } });`,
  ),
  protocol(
    "tool calls without end",
    `post({ ...reply, action: { type: "toolCalls", calls: new Array(128).fill(0).map(() => ({ id: "", name: "f", arguments: "x".repeat(1_000_000) })) } });`,
    large,
  ),
  protocol("a port in an answer", `post({ ...reply, port: new MessageChannel().port1 });`, {
    faults: ["protocol|timeout", "protocol|timeout"],
  }),
  protocol("an answer, then an error", `post(reply); throw new Error("x".repeat(1e6));`, {
    // Whether the next question comes before the frame has ended the worker is the machine's affair.
    faults: [null, "*"],
  }),
  protocol("an answer, then its own end", `post(reply); self.close();`, {
    faults: [null, "timeout|crashed"],
  }),
  protocol("an answer, then a closed port", `post(reply); port.close();`, {
    faults: [null, "timeout|crashed"],
  }),
];

/** Invalid or repeated answers of a mod: the answer counts as none, and the next mod is asked. */
const odd = (
  name: string,
  body: string,
  faults: Hostile["faults"],
  more: Partial<Hostile> = {},
): Hostile => ({
  name,
  source: `// @ts-nocheck\nimport { mod } from "midtoken/mod";\nexport default mod({ ${more.event ?? "added"}(event, actions) { ${body} } });\n`,
  event: "added",
  faults,
  ...more,
});
const late = ["timeout", "timeout"] as const;
const thrown = ["threw|invalid-action", "threw|invalid-action"] as const;

/** A second list: answers that never come, come too late or are others when they are looked at again. */
export const subtleDenialAttempts: readonly Hostile[] = [
  odd("a promise that never settles", `return new Promise(() => {});`, late),
  odd("a thenable that never answers", `return { then() {} };`, late),
  odd(
    "a thenable that answers with itself",
    `const self = { then(resolve) { resolve(self); } }; return self;`,
    late,
  ),
  odd(
    "an answer, then a loop",
    `(async () => { for (let turn = 0; turn < 100; turn++) await null; for (;;); })(); return actions.noop();`,
    [null, "timeout"],
  ),
  odd("a list without end", `return actions.forceTokens({ length: 1e9 });`, ["*", "*"]),
  odd("an endless generator", `return actions.forceTokens([...(function* () { for (;;) yield 1; })()]);`, [
    "timeout|crashed|threw",
    "*",
  ]),
  odd("a proxy of an answer", `return new Proxy(actions.forceTokens([1]), {});`, thrown),
  odd(
    "an answer of an earlier event",
    `return (globalThis.kept ??= actions.forceTokens([1]));`,
    [null, null],
    {
      action: { type: "forceTokens", tokens: [1] },
    },
  ),
  odd(
    "a name that is another at the second look",
    `const other = (first, then) => { let looks = 0; return () => (looks++ === 0 ? first : then); }; const name = other("f", { toString: 1 }), id = other("a", 5); return actions.toolCalls({ get name() { return name(); }, get id() { return id(); }, arguments: { toJSON: other({ at: 1 }, 2) } });`,
    [null, null],
    {
      action: {
        type: "toolCalls",
        calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"at":1}' } }],
      },
    },
  ),
  odd(
    "tokens that are another at the second look",
    `let looks = 0; return actions.forceTokens(Object.defineProperty([], 0, { get: () => (looks++ === 0 ? 1 : 1e9) }));`,
    [null, null],
    {
      action: { type: "forceTokens", tokens: [1] },
    },
  ),
  odd(
    "minus nothing, and no number",
    `return actions.forceTokens(globalThis.once ? [NaN] : ((globalThis.once = true), [-0]));`,
    [null, "invalid-action"],
    {
      action: { type: "forceTokens", tokens: [0] },
    },
  ),
  odd(
    "a row that is gone when it is sent",
    `const row = event.logits; const action = actions.adjustLogits(row); if (row.buffer.transfer) row.buffer.transfer(); else throw new Error("no transfer"); return action;`,
    ["*", "*"],
    { event: "forwardPass" },
  ),
  odd("half characters", `console.log("\\ud800"); return actions.error("\\udfff" + "\\u202e");`, [
    null,
    null,
  ]),
  odd(
    "the console of a proxy without end",
    `console.log(new Proxy({}, { ownKeys: () => { for (;;); } })); return actions.noop();`,
    late,
  ),
  ...builtInPatches
    .filter(({ name }) => patchedInBrowsers.includes(name))
    .map(
      ({ name, patch, added = "return actions.forceTokens([1]);" }): Hostile => ({
        name,
        source: `// @ts-nocheck\nimport { mod } from "midtoken/mod";\n${patch}\nexport default mod({ added(event, actions) { ${added} } });\n`,
        event: "added",
        faults: ["*", "*"],
      }),
    ),
  {
    name: "an ear at every call of the language",
    source: `// @ts-nocheck\nimport { mod } from "midtoken/mod";\n${builtInSpyText}\nexport default mod({ added(event, actions) { console.log("found: " + finds() + "of " + (heard.length > 100)); return actions.noop(); } });\n`,
    event: "added",
    faults: [null, null],
    logs: "found: of true\nfound: of true",
  },
];
