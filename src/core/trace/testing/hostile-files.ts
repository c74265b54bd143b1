/**
 * Files that are made to do harm, up to 64 MB, and the largest valid file. For tests and the bench; nothing here checks a limit.
 */
import { runToEnd } from "../../base/resumable-work.ts";
import { crc32, pushVarint } from "../codec/bytes.ts";
import { codingTrace } from "../codec/code-trace.ts";
import { encodeTrace } from "../codec/codec.ts";
import { createColumnWriter } from "../codec/column-writer.ts";
import { packings } from "../codec/packing.ts";
import { type ColumnKey, columnKeys, sectionNames, sections } from "../codec/sections.ts";
import { TRACE_VERSION, type Trace, type TraceToken } from "../format/format.ts";
import { hostileTrace } from "./hostile-traces.ts";
import { seededRandom } from "./sample-trace.ts";
import { createTraceBuilder, requestRecord } from "./trace-builder.ts";

/**
 * A recording like that of a real model: `tokens` of 50,000 words, ten alternatives each, and at each token `calls` of a mod that
 * does nothing.
 */
export function longRecording(tokens: number, calls = 0): Trace {
  const random = seededRandom(7);
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "quiet", source: "// nothing" }] }));
  const words: readonly TraceToken[] = Array.from({ length: 50_000 }, (_, token) => ({
    token,
    text: ` ${token.toString(36)}`,
  }));
  const word = () => words[Math.floor(random() ** 3 * words.length)] as TraceToken;
  const events = ["forwardPass", "sampled", "added"] as const;
  builder.prefill(Array.from({ length: 1_000 }, word));
  for (let step = 0; step < tokens; step += 1) {
    const top = Array.from({ length: 10 }, (_, place) => {
      const { token, text } = word();
      return { token, text, logprob: Math.fround(-random() * 3 - place) };
    });
    const [first] = top;
    if (!first) continue;
    const { token, text, logprob } = first;
    builder.forward({ entropy: Math.fround(random() * 5), top });
    if (calls > 0) builder.call(0, events[0]);
    const probability = Math.exp(logprob);
    builder.sample({ token, text }, { draw: random(), logprobBefore: logprob, probability, candidates: 40 });
    if (calls > 1) builder.call(0, events[1]);
    builder.add([{ token, text }], "sampled");
    if (calls > 2) builder.call(0, events[2]);
  }
  return builder.finish("length");
}

/** Writes a trace as a file without packing, after `change` has changed or removed columns. Missing columns read as zeros. */
function unpackedFile(trace: Trace, change: (columns: Map<ColumnKey, Uint8Array>) => void): Uint8Array {
  const writer = createColumnWriter();
  runToEnd(codingTrace(writer, { records: trace.records, notes: [] }));
  const columns = new Map(writer.columns());
  change(columns);
  const parts: Uint8Array[] = [Uint8Array.from([1, TRACE_VERSION])];
  for (const name of sectionNames) {
    const present = columnKeys(name).map((key) => columns.get(key) ?? new Uint8Array());
    const length = present.reduce((sum, each) => sum + each.length, 0);
    if (length === 0) continue;
    const head = [sections[name].id, packings.none, present.length];
    for (const each of [...present, { length }]) pushVarint(head, each.length);
    parts.push(Uint8Array.from(head), ...present);
  }
  const body = Buffer.concat([...parts, Uint8Array.from([0])]);
  const bytes = new Uint8Array(body.length + 4);
  bytes.set(body);
  new DataView(bytes.buffer).setUint32(body.length, crc32(body), true);
  return bytes;
}

const empty = () => createTraceBuilder(requestRecord()).finish("stop");

/** A file that claims `count` records, although no record takes a byte. */
function recordsOfNothing(count: number): Uint8Array {
  return unpackedFile(empty(), (columns) => {
    for (const column of columns.keys()) if (!/^(settings|prompt)/.test(column)) columns.delete(column);
    const numbers = [0];
    pushVarint(numbers, count);
    numbers.push(...(columns.get("settings.numbers") ?? []).slice(2));
    columns.set("settings.numbers", Uint8Array.from(numbers));
  });
}

/** A file of nearly the largest size, all in one text column that no record reads. */
function textOfNothing(character: string): Uint8Array {
  const text = Buffer.alloc(66_000_000 - (66_000_000 % Buffer.byteLength(character)), character);
  return unpackedFile(empty(), (columns) => columns.set("logs.text", text));
}

/** Mods that reply with large actions at each of many events. */
function loudMods(): Trace {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "loud", source: "" }] }));
  const line = { level: "log" as const, text: "loud" };
  const tokens = new Array<number>(300).fill(7);
  for (let round = 0; round < 3_000; round += 1) {
    builder.call(
      0,
      round % 2 === 0 ? "added" : "sampled",
      { type: "forceTokens", tokens, text: "a", cut: 0 },
      {
        console: new Array<typeof line>(300).fill(line),
      },
    );
  }
  return builder.finish("stop");
}

const file = (trace: Trace): Uint8Array => encodeTrace({ trace, notes: [] }).bytes;

/** The largest and most harmful files. The name of a file says which of its contents is excessive. */
export const worstFiles: Readonly<Record<string, () => Uint8Array>> = {
  "2,000,000 records of nothing": () => recordsOfNothing(2_000_000),
  "1,200,000 records of nothing": () => recordsOfNothing(1_200_000),
  "66 MB of ASCII": () => textOfNothing("a"),
  "66 MB of emoji": () => textOfNothing("🏳"),
  "66 MB, damaged": () => textOfNothing("a").map((byte, place) => (place === 1_000_000 ? byte ^ 1 : byte)),
  "70 MB": () => new Uint8Array(70 * 1_048_576).fill(1),
  "loud mods": () => file(loudMods()),
  "200,000 tokens, ten alternatives": () => file(longRecording(200_000)),
  "200,000 tokens, ten alternatives, one call each": () => file(longRecording(200_000, 1)),
  "200,000 tokens, ten alternatives, three calls each": () => file(longRecording(200_000, 3)),
};

/** `count` files: first `worstFiles`, then files that are generated from the seeds 1, 2 and so on. */
export function* hostileFiles(count: number): Generator<readonly [name: string, bytes: Uint8Array]> {
  const first = Object.entries(worstFiles).slice(0, count);
  for (const [name, make] of first) yield [name, make()];
  for (let seed = 1; seed <= count - first.length; seed += 1) {
    yield [`file of seed ${seed}`, file(hostileTrace(seed, seed % 16 === 0 ? 1 : 0.05))];
  }
}
