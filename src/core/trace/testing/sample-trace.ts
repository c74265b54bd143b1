/** A story of 300 and more tokens under two mods: forced spans, a backtrack with a replacement, adjusted tokens, console lines, a fault. */
import type { Trace, TraceAction, TraceDistribution, TraceToken } from "../format/format.ts";
import { allPieces, pieceTokens, story } from "./story-text.ts";
import { banOfOne, createTraceBuilder, fault, requestRecord, type TraceBuilder } from "./trace-builder.ts";

/** Uniform numbers in [0, 1) that repeat for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** About 1 KB: keeps two names out of the story, steers away from a word, and notes what it did. */
const sampleModSource = `import { mod, requestState } from "midtoken/mod";

// The heroine is called Lily, whatever the model thinks, and nobody in this story may ever be sad.
const wrongNames = ["Tom", "Max"];
const heroine = " Lily";
const changes = requestState(() => 0);

export default mod({
  prefilled(event) {
    console.log(\`prompt has \${event.tokens.length} tokens\`);
  },

  // Gloomy words often begin like this: forbid the token while it is still only a thought.
  forwardPass(event, actions, tokenizer) {
    const gloomy = event
      .topK(8)
      .filter(({ token, logprob }) => tokenizer.tokenText(token) === " sad" && logprob > -6)
      .map(({ token }) => token);
    if (gloomy.length > 0) return actions.adjustLogits({ ban: gloomy });
  },

  added(event, actions) {
    const found = wrongNames.find((name) => event.text.includes(name));
    if (found === undefined) return;
    changes.current += 1;
    console.log(\`replaced \${found} by\${heroine}, change number \${changes.current}\`);
    return actions.backtrack(event.tokens.length, heroine);
  },
});
`;

const otherSource = `import { mod } from "midtoken/mod";

export default mod({
  sampled(event, actions) {
    if (event.text === "!") return actions.forceTokens(".");
  },
});
`;

/** A made-up distribution of one step: `chosen` among other tokens, most likely first. */
export function randomDistribution(
  random: () => number,
  chosen: TraceToken,
): TraceDistribution & { logprob: number } {
  const sharpness = random() < 0.45 ? 6 + 6 * random() : 0.6 + 3 * random();
  const others = Array.from(
    { length: 9 },
    () => allPieces[Math.floor(random() * allPieces.length)] ?? chosen,
  );
  const rank = random() < 0.7 ? 0 : Math.floor(random() * 4);
  const candidates = [...new Map([chosen, ...others].map((token) => [token.token, token])).values()];
  const ordered = [...candidates.slice(1, rank + 1), chosen, ...candidates.slice(rank + 1)];
  const scores = ordered.map((_token, place) => -sharpness * Math.log1p(place) - 0.3 * random() * place);
  const tail = Math.log(0.02 + 0.1 / sharpness);
  const total = Math.log([...scores, tail].reduce((sum, score) => sum + Math.exp(score), 0));
  const top = ordered
    .map((token, place) => ({ ...token, logprob: Math.fround((scores[place] ?? 0) - total) }))
    .sort((a, b) => b.logprob - a.logprob);
  const entropy = top.reduce(
    (sum, { logprob }) => sum - (Math.exp(logprob) * logprob) / Math.LN2,
    0.2 * random(),
  );
  const logprob = top.find(({ token }) => token === chosen.token)?.logprob ?? tail - total;
  return { entropy: Math.fround(entropy), top, logprob };
}

const plain = ({ entropy, top }: TraceDistribution): TraceDistribution => ({ entropy, top });

/** One model step: forward pass, mods, sample, add. `adjust`: a mod banned the token that would have come. */
function writeStep(builder: TraceBuilder, random: () => number, token: TraceToken, adjust: boolean): void {
  const counterfactual = adjust ? (allPieces[Math.floor(random() * allPieces.length)] ?? token) : null;
  const before = randomDistribution(random, counterfactual ?? token);
  builder.forward(plain(before));
  const action: TraceAction = adjust ? banOfOne : { type: "noop" };
  builder.call(0, "forwardPass", action);
  const after = adjust ? randomDistribution(random, token) : before;
  if (adjust) builder.adjust(plain(after));
  const numbers = adjust
    ? { logprobBefore: after.logprob - 2, logprobAfter: after.logprob }
    : { logprobBefore: before.logprob, logprobAfter: before.logprob };
  builder.sample(token, { ...numbers, draw: random(), counterfactual });
  builder.add([token], "sampled");
}

function writeForced(builder: TraceBuilder, random: () => number, text: string, count: number): void {
  const tokens = pieceTokens(text);
  const ids = tokens.map(({ token }) => token);
  const action: TraceAction =
    count > 0
      ? { type: "backtrack", count, tokens: ids, text, cut: 0 }
      : { type: "forceTokens", tokens: ids, text, cut: 0 };
  const log = { level: "log" as const, text: count > 0 ? `replaced Tom by${text}` : `added${text}` };
  builder.call(0, "added", action, { line: count > 0 ? 25 : 28, console: [log] });
  if (count > 0) {
    builder.backtrack(0, count, tokens.length);
  }
  const index = builder.emitted;
  const counterfactual = allPieces[Math.floor(random() * allPieces.length)] ?? null;
  builder.add(tokens, count > 0 ? "reinjected" : "forced", { mod: 0, counterfactual });
  const scored = tokens.map((token) => randomDistribution(random, token));
  builder.call(0, "added");
  builder.forward(
    plain(randomDistribution(random, allPieces[0] ?? { token: 0, text: "" })),
    tokens.length + 1,
  );
  builder.score(
    index,
    scored.map(({ logprob }) => logprob - 2),
    scored.map(plain),
  );
}

export interface SampleTraceOptions {
  /** Number of sampled tokens; forced tokens come in addition. */
  readonly tokens?: number;
  readonly seed?: number;
  /** Whether a second mod takes part, whose action is superseded and which then throws. */
  readonly severalMods?: boolean;
}

export function sampleTrace({ tokens = 300, seed = 1, severalMods = true }: SampleTraceOptions = {}): Trace {
  const random = seededRandom(seed);
  const mods = [{ name: "call-her-lily", source: sampleModSource }];
  if (severalMods) mods.push({ name: "no-shouting", source: otherSource });
  const builder = createTraceBuilder(requestRecord({ mods, onModError: "continue", seed }));
  const prompt = pieceTokens("Once upon a time");
  builder.call(
    0,
    "prefilled",
    { type: "noop" },
    {
      console: [{ level: "log", text: `prompt has ${prompt.length} tokens` }],
    },
  );
  builder.prefill(prompt);
  const text = pieceTokens(story.repeat(Math.ceil(tokens / 500)));
  for (const [place, token] of text.slice(0, tokens).entries()) {
    writeStep(builder, random, token, place % 23 === 22);
    if (place % 90 === 60) writeForced(builder, random, " Lily", 3);
    else if (place % 70 === 40) writeForced(builder, random, " and then they all went up", 0);
    else builder.call(0, "added");
    if (severalMods && place === 100) {
      builder.call(
        1,
        "sampled",
        { type: "noop" },
        {
          fault: fault("threw", "TypeError: Cannot read properties of undefined (reading 'text')", 5),
        },
      );
    }
    if (severalMods && place === 40) {
      const shout: TraceAction = { type: "forceTokens", tokens: [46], text: ".", cut: 0 };
      builder.call(1, "added", shout, { superseded: true, line: 5 });
    }
  }
  builder.call(0, "finished");
  return builder.finish("length");
}

/** The same run of a model that thinks: the text up to the first full stop is its reasoning. */
export function sampleReasoningTrace(options: SampleTraceOptions = {}): Trace {
  const trace = sampleTrace(options);
  const records = trace.records.map((record) =>
    record.type === "request"
      ? { ...record, reasoning: { open: "<think>", close: ".", isBegun: true } }
      : record,
  );
  return { ...trace, records };
}
