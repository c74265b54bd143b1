/** Traces that are made to do harm: short as links, large once unpacked. For tests and the bench; nothing here checks a limit. */
import { toBase64Url } from "../codec/bytes.ts";
import { encodeTrace } from "../codec/codec.ts";
import { mixingEncoder } from "../codec/mixing-encoder.ts";
import { defaultParts, reduceToLinkParts } from "../file/project.ts";
import type { Trace, TraceAction, TraceToken } from "../format/format.ts";
import type { RequestRecord } from "../format/format-request.ts";
import { seededRandom } from "./sample-trace.ts";
import { banOfOne, createTraceBuilder, fault, requestRecord, type TraceBuilder } from "./trace-builder.ts";

/** The link of a trace, even if the page refuses to open it. */
export function hostileLink(trace: Trace): string {
  const parts = { ...defaultParts, alternatives: "all" as const };
  return `#t1.${toBase64Url(encodeTrace({ trace: reduceToLinkParts(trace, parts), notes: [] }, mixingEncoder).bytes)}z`;
}

const even = { entropy: 1, top: [] };
const repeated = <Type>(count: number, value: Type): Type[] => new Array<Type>(count).fill(value);

/** Mods of 65,535 line breaks each. */
export function manyModLines(count = 64): Trace {
  const mods = Array.from({ length: count }, (_, place) => ({
    name: `mod-${place}`,
    source: "\n".repeat(65_535),
  }));
  return story(requestRecord({ mods })).finish("length");
}

/** An output of 200,000 tokens. */
export function manyTokens(): Trace {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "many", source: "" }] }));
  builder.prefill([{ token: 1, text: "x" }]);
  builder.add(repeated(200_000, { token: 97, text: "a" }), "forced");
  return builder.finish("length");
}

/** 60,000 calls of mods at the first token. */
export function manyModCalls(): Trace {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "many", source: "" }] }));
  builder.prefill([{ token: 1, text: "x" }]);
  builder.forward(even);
  for (let call = 0; call < 60_000; call += 1) builder.call(0, "forwardPass", banOfOne);
  builder.adjust(even);
  builder.sample({ token: 97, text: "a" }, { counterfactual: { token: 98, text: "b" } });
  builder.add([{ token: 97, text: "a" }], "sampled");
  return builder.finish("length");
}

/**
 * At each of `tokens` tokens, the next of 64 mods changes its steering, and one more layer is patched, so that no two tokens
 * can share their lists of vectors.
 */
export function manySteers(tokens = 20_000, vectors = 2): Trace {
  const mods = Array.from({ length: 64 }, (_, place) => ({ name: `mod-${place}`, source: "" }));
  const builder = createTraceBuilder(requestRecord({ mods }));
  const vector = { digest: 7, norm: 1, numbers: null };
  builder.prefill([{ token: 1, text: "x" }]);
  for (let round = 0; round < tokens; round += 1) {
    const steerings = repeated(vectors, { layer: round % 1_024, scale: 2, vector });
    builder.call(round % 64, "added", { type: "steer", vectors: steerings });
    builder.call(round % 64, "added", { type: "patch", layer: round % 1_024, vector });
    builder.forward(even, builder.unread);
    builder.sample({ token: 97, text: "a" }, {});
    builder.add([{ token: 97, text: "a" }], "sampled");
    builder.backtrack(0, 1, 0);
  }
  return builder.finish("length");
}

/** The attacks of the security review, as traces for links. The name of an attack says which of its contents is excessive. */
export const attacks = { manyLines: manyModLines, manyTokens, manyCalls: manyModCalls, manySteers } as const;

function story(request: RequestRecord): TraceBuilder {
  const builder = createTraceBuilder(request);
  builder.prefill([{ token: 1, text: "x" }]);
  builder.add([{ token: 97, text: "a" }], "forced", { mod: 0 });
  return builder;
}

/**
 * A random trace in one of many shapes, with some counts near their limits (times `scale`). The same seed gives the same trace.
 */
export function hostileTrace(seed: number, scale = 1): Trace {
  const random = seededRandom(seed);
  const pick = <Type>(...options: readonly [Type, ...Type[]]): Type =>
    options[Math.floor(random() * options.length)] ?? options[0];
  /**
   * A random number from 1 to `most` × `scale`, uniform in its logarithm, so that small numbers are as likely as large ones.
   */
  const many = (most: number) => Math.floor(Math.exp(random() * Math.log(Math.max(2, most * scale))));
  const text = (most: number) =>
    pick("a", " the", "\n", "\u202e", "\u200b", "🏳️‍🌈", "é", " ", "<b>", "[")
      .repeat(many(most))
      .slice(0, most);
  const mods = Array.from({ length: 1 + many(63) }, () => ({ name: text(65_000), source: text(65_000) }));
  const mod = () => Math.floor(random() * mods.length);
  const message = { role: "user" as const, content: text(60_000) };
  const request = requestRecord({ mods, messages: repeated(many(500), message) });
  const builder = createTraceBuilder(request);
  const token = (): TraceToken => ({
    token: many(500),
    text: pick("a", " b", "", "\n", text(12), text(500)),
  });
  const counterfactual = () => pick(null, token());
  const action = (): TraceAction => {
    const forced = { tokens: repeated(many(400), 7), text: text(400), cut: 0 };
    return pick<TraceAction>(
      { type: "noop" },
      banOfOne,
      { type: "forceTokens", ...forced },
      { type: "backtrack", count: 1, ...forced },
      { type: "error", message: text(60_000) },
      { type: "toolCalls", calls: repeated(many(900), call(text(40))) },
      { type: "adjustPrefill", tokenCount: 3, maxSteps: null },
    );
  };
  const calls = (event: "forwardPass" | "added" | "prefilled", most: number) => {
    const made = action();
    const console = pick([], repeated(many(300), { level: "log" as const, text: text(100) }));
    const extra = { console, fault: pick(null, null, fault("threw", text(9000))) };
    for (let left = many(most); left > 0; left -= 1) builder.call(mod(), event, made, extra);
  };
  calls("prefilled", pick(2, 200));
  builder.prefill(repeated(many(100_000), token()), pick(null, 3));
  const rounds = many(pick(4, 40, 4000, 20_000));
  const perRound = pick(1, 30, 200_000 / rounds, 2_000_000 / rounds);
  const callsPerRound = pick(0, 3, 60_000 / rounds);
  const removes = pick(0, 0.1, 1);
  for (let round = 0; round < rounds; round += 1) {
    builder.forward(even);
    if (callsPerRound >= 1) calls("forwardPass", callsPerRound);
    if (random() < 0.3) builder.adjust(even);
    const one = token();
    const source = pick("sampled" as const, "forced" as const, "reinjected" as const);
    if (source === "sampled") builder.sample(one, { counterfactual: counterfactual() });
    builder.add(repeated(many(perRound), one), source, {
      mod: source === "sampled" ? null : mod(),
      counterfactual: counterfactual(),
    });
    if (random() < removes) builder.backtrack(mod(), many(builder.step), pick(0, 1, 40));
  }
  const answer = pick(null, "[".repeat(many(100_000)) + "]".repeat(many(100_000)), nested(many(60_000)));
  return builder.finish(pick("length", "error", "tool_calls"), {
    ...(answer !== null && { text: answer }),
    toolCalls: pick([], repeated(many(60_000), call(pick("{}", nested(many(9_000)), text(60_000))))),
    error: pick(null, { message: text(60_000), mod: null }),
  });
}

function call(text: string) {
  return { id: "call", type: "function" as const, function: { name: text.slice(0, 900), arguments: text } };
}

/** Lists within lists. */
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
