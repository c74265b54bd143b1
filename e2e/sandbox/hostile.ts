/**
 * Attempts on the protocol and on the machine's patience. Where a mod could not even try, since it never holds the port,
 * the whole guest is hostile: a program of the attacker's own in the frame, as if the scrubbed realm had been taken over.
 */

/**
 * A guest that loads any mod, and answers events as `body` says; it has `port`, `post`, `reply`, `event` at hand.
 * @param inside what it declares of layers, as an expression; nothing unless given
 */
export function hostileGuest(body: string, inside = "undefined"): string {
  return `"use strict";
self.addEventListener("message", ({ ports: [port] }) => {
  if (!port) return;
  const post = (message, transfer = []) => port.postMessage(message, transfer);
  port.onmessage = ({ data }) => {
    const { run, sequence, events: [event] = [] } = data;
    if (data.type === "init") {
      const handles = ["prefilled", "forwardPass", "sampled", "added", "backtracked", "finished"];
      post({ type: "ready", run, name: "hostile", handles, needs: { topK: 64, logits: true, activations: ${inside} }, console: [] });
    }
    if (data.type !== "events") return;
    const reply = { type: "reply", run, sequence, action: { type: "noop" }, fault: null, builtAt: null, console: [] };
    ${body}
  };
});
postMessage("awake");
`;
}

/** How the engine's side must have ended it. */
export interface Hostile {
  readonly name: string;
  /** The guest's whole program, else a mod's source for the real guest. */
  readonly program?: string;
  readonly source?: string;
  readonly event: "prefilled" | "forwardPass" | "added";
  /** The fault of the first answer, of the second where the first may pass; null: the answer itself is judged. */
  readonly faults: readonly (string | null)[];
  /** In the message of the first fault. */
  readonly says?: string;
  /** The action of an answer without fault. */
  readonly action?: unknown;
  /** All that its console must have said. */
  readonly logs?: string;
}

export const protocol = (name: string, body: string, more: Partial<Hostile> = {}): Hostile => ({
  name,
  program: hostileGuest(body),
  event: "added",
  faults: ["protocol", "protocol"],
  ...more,
});

const edit = (values: string) =>
  `post({ ...reply, action: { type: "adjustLogits", edit: { kind: "entries", tokens: Int32Array.of(1, 2), logits: Float32Array.of(${values}) } } });`;

export const protocolAttempts: readonly Hostile[] = [
  protocol("stale seq", `post({ ...reply, sequence: sequence - 1 });`),
  protocol("future seq", `post({ ...reply, sequence: sequence + 1 });`),
  protocol("double reply", `post(reply); post(reply);`, { faults: [null, "protocol"] }),
  protocol(
    "reply after deadline",
    `const { now } = Date; const end = now() + 700; while (now() < end); post(reply);`,
    {
      faults: ["timeout", "timeout"],
    },
  ),
  protocol("reply for another run", `post({ ...reply, run: run + 1 });`),
  protocol("unknown action", `post({ ...reply, action: { type: "eval", code: "1" } });`),
  protocol("out-of-range token id", `post({ ...reply, action: { type: "forceTokens", tokens: [1, 257] } });`),
  protocol("NaN/Infinity edits", edit("NaN, Infinity"), {
    event: "forwardPass",
    faults: ["invalid-action", "invalid-action"],
  }),
  protocol(
    "oversize force list",
    `post({ ...reply, action: { type: "forceTokens", tokens: new Array(2_000_000).fill(1) } });`,
    // Where such a list takes longer than the deadline to cross, the deadline ends it.
    { faults: ["protocol|timeout", "protocol|timeout"] },
  ),
  protocol(
    "infinite backtrack",
    `post({ ...reply, action: event.type === "added" ? { type: "backtrack", count: 1, tokens: [98] } : { type: "noop" } });`,
    { faults: [] },
  ),
  protocol(
    "__proto__/getter/Proxy payload",
    `try { post(new Proxy(reply, {})); } catch {}
const action = JSON.parse('{"type":"forceTokens","tokens":[1],"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"extra":1}');
post({ ...reply, get action() { return action; } });`,
    { faults: [null, null], action: { type: "forceTokens", tokens: [1] } },
  ),
  protocol("another port, sent with an answer", `post(reply, [new MessageChannel().port2]);`),
  // The frame ends the worker at its first further word, so an answer after it may come or not: this guest gives none.
  protocol(
    "giving the port to the frame or posting to parent",
    `try { parent.postMessage("hostile", "*"); } catch {}
self.postMessage({ hostile: 1 }, [port]);`,
    { faults: ["timeout|crashed", "timeout|crashed"] },
  ),
];

const modThat = (statement: string, event = "added") =>
  `import { mod } from "midtoken/mod";\nexport default mod({ ${event}() { ${statement} } });\n`;

const bomb = (name: string, statement: string): Hostile => ({
  name,
  source: modThat(statement),
  event: "added",
  faults: ["timeout", "timeout"],
});

const endlessStrings =
  "const kept: string[] = []; for (let i = 0; ; i++) kept.push(String(i).repeat(1e6).toUpperCase());";

/** Answers no `added`, and takes memory until there is none. */
export const memoryHog = modThat(endlessStrings);

/** Memory runs out, or the deadline does: which comes first is the machine's affair, but the mod is gone. */
const memoryBomb = (name: string, statement: string): Hostile => ({
  name,
  source: modThat(statement, "prefilled"),
  event: "prefilled",
  faults: ["timeout|crashed|threw", "timeout|crashed|*"],
});

export const denialAttempts: readonly Hostile[] = [
  bomb("busy loop", "for (;;) {}"),
  {
    name: "busy loop while loading",
    source: "for (;;) {}",
    event: "prefilled",
    faults: ["timeout", "timeout"],
    says: "did not load within 2000 ms",
  },
  {
    name: "microtask loop",
    source: `import { mod } from "midtoken/mod";\nexport default mod({ async added() { for (;;) await null; } });\n`,
    event: "added",
    faults: ["timeout", "timeout"],
  },
  bomb("ReDoS", `/^(([a-z])+.)+[A-Z]([a-z])+$/.test("a".repeat(60));`),
  bomb("deep recursion", "const deeper = (): void => { try { deeper(); } finally { deeper(); } }; deeper();"),
  memoryBomb("string OOM", endlessStrings),
  memoryBomb("object OOM", "const kept: object[] = []; for (;;) kept.push({ a: [1, 2, 3], b: { c: 4 } });"),
  memoryBomb(
    "ArrayBuffer OOM",
    "const kept: unknown[] = []; for (;;) kept.push(new Uint8Array(1 << 26).fill(1));",
  ),
  {
    name: "message flood",
    program: hostileGuest("for (;;) post(reply);"),
    event: "added",
    faults: ["*", "protocol"],
  },
  // The frame's thread has to answer the engine's pings, and the next mod's frame may have the same thread.
  ...["postMessage", "reportError"].map(
    (name): Hostile => ({
      name: `flood of the frame by ${name}`,
      program: hostileGuest(`for (;;) self.${name}(0);`),
      event: "added",
      faults: ["timeout", "timeout"],
    }),
  ),
  {
    name: "100 MB single reply",
    program: hostileGuest(`post({ ...reply, action: { type: "error", message: "x".repeat(1e8) } });`),
    event: "added",
    faults: ["protocol|timeout", "protocol|timeout"],
  },
  {
    name: "log flood",
    source: modThat(`for (let i = 0; i < 200_000; i++) console.log("line " + i, "x".repeat(1000));`),
    event: "added",
    faults: ["*", "*"],
  },
];

/** A mod that does nothing wrong. */
export const benign = `import { mod } from "midtoken/mod";
export default mod({ added: (_, actions) => actions.forceTokens([1]) });
`;
