/**
 * `npm run bench -- permalink [--json] [--hostile=N] [--files=M]`: the length of links of real requests on the bundled model,
 * and the time to make and open them against a peer on the same trace in the same run: its JSON, deflated, in base64url; and
 * what N links and M files that are made to do harm (100 and 20 unless told) do to the page. With `--hostile-only`, nothing but
 * these, with `--seeds=1,2,…` the links of these seeds again. With `--mutations=K`, nothing but what becomes of K links and files that were sound once and were then damaged.
 */
import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";
import { fromBase64Url, toBase64Url } from "../../src/core/trace/codec/bytes.ts";
import { decodeTraceFile, encodeTraceFile } from "../../src/core/trace/codec/codec.ts";
import { decodePermalink, encodePermalink } from "../../src/core/trace/file/permalink.ts";
import { defaultParts, type LinkParts, reduceToLinkParts } from "../../src/core/trace/file/project.ts";
import type { Trace } from "../../src/core/trace/format/format.ts";
import { createTraceModel } from "../../src/core/trace/model/trace-model.ts";
import { traceSummary } from "../../src/core/trace/model/trace-summary.ts";
import { parseTrace } from "../../src/core/trace/parse/parse.ts";
import {
  atLeast,
  atMost,
  type BenchRow,
  exactly,
  figure,
  machine,
  printBench,
  timeAtMost,
} from "./machine.ts";
import { corpusRows } from "./permalink/corpus.ts";
import { drawLink } from "./permalink/draw.ts";
import { hostileRows } from "./permalink/hostile.ts";
import { mutationRows } from "./permalink/mutations.ts";
import { openStoryteller, type Storyteller, storyMod } from "./record-story.ts";
import { median } from "./statistics.ts";

/** As the page runs it, before the user changes anything. */
const pageSettings = { temperature: 0.8, topP: 0.95 };
const tokenCount = 300;
/** As many as the bundled model's context of 512 has room for beside the prompt. */
const mostTokens = 500;
const rounds = 15;

/** Requests of so many emitted tokens, of which a mod removed some. */
async function recordRequests(
  storyteller: Storyteller,
  count: number,
  tokens = tokenCount,
): Promise<readonly Trace[]> {
  const found: Trace[] = [];
  for (let seed = 1; found.length < count; seed += 1) {
    if (seed > 40)
      throw new Error(`Fewer requests than asked for reach ${tokens} tokens: is this the bundled model?`);
    const settings = { mods: [storyMod], maxTokens: tokens, sampling: pageSettings, seed };
    const trace = await storyteller.record(settings);
    const { emitted, removed } = traceSummary(modelOf(trace));
    if (emitted >= tokens && removed > 0) found.push(trace);
  }
  return found;
}

function modelOf(trace: Trace) {
  const model = createTraceModel();
  model.append(trace.records);
  return model;
}

const lengthOf = (trace: Trace, parts?: Partial<LinkParts>) => encodePermalink(trace, parts).fragment.length;
const worst = (traces: readonly Trace[], parts?: Partial<LinkParts>) =>
  Math.max(...traces.map((trace) => lengthOf(trace, parts)));

function sizeRows(traces: readonly Trace[]): BenchRow[] {
  const [first] = traces;
  if (!first) throw new Error("No request was recorded.");
  const { sections } = encodePermalink(first);
  return [
    figure("emitted tokens", traceSummary(modelOf(first)).emitted, "tokens"),
    figure("the mod's source", storyMod.source.length, "characters"),
    atMost(`link with probabilities, longest of ${traces.length}`, worst(traces), "characters", 3000),
    ...sections.map(({ name, characters }) => figure(`  of it ${name}`, characters, "characters")),
    figure("without token ids", worst(traces, { tokenIds: false }), "characters"),
    figure("with alternatives where in doubt", worst(traces, { alternatives: "gated" }), "characters"),
    figure("with all alternatives, draws, times", worst(traces, everything), "characters"),
    figure("trace file", encodeTraceFile(first).length, "bytes"),
    figure("the same as JSON", JSON.stringify(first).length, "bytes"),
    atLeast("peer's link over ours", peerEncode(projected(first)).length / lengthOf(first), "times", 3),
  ];
}

const everything: Partial<LinkParts> = { alternatives: "all", draws: true, timings: true };
const projected = (trace: Trace): Trace => reduceToLinkParts(trace, defaultParts);

const peerEncode = (trace: Trace): string =>
  `#t0.${toBase64Url(deflateSync(strToU8(JSON.stringify(trace)), { level: 9 }))}z`;
const peerDecode = (link: string): Trace =>
  parseTrace(JSON.parse(strFromU8(inflateSync(fromBase64Url(link.slice(4, -1))))));

/** Medians of each, in milliseconds, the rivals taking turns. */
function race<Names extends string>(rivals: Readonly<Record<Names, () => unknown>>): Record<Names, number> {
  const names = Object.keys(rivals) as Names[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -3; round < rounds; round += 1) {
    for (const name of names) {
      const start = performance.now();
      rivals[name]();
      // The first rounds are for the compiler.
      if (round >= 0) times.get(name)?.push(performance.now() - start);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<
    Names,
    number
  >;
}

function timeRows(trace: Trace): BenchRow[] {
  const link = encodePermalink(trace).fragment;
  const peerLink = peerEncode(projected(trace));
  const file = encodeTraceFile(trace);
  const times = race({
    encode: () => encodePermalink(trace),
    peerEncode: () => peerEncode(reduceToLinkParts(parseTrace(trace), defaultParts)),
    decode: () => decodePermalink(link),
    peerDecode: () => peerDecode(peerLink),
    model: () => modelOf(trace),
    file: () => decodeTraceFile(file),
  });
  return [
    figure("make a link", times.encode, "ms"),
    figure("make a link, peer", times.peerEncode, "ms"),
    atMost("make a link, over the peer", times.encode / times.peerEncode, "times", 6),
    figure("open a link", times.decode, "ms"),
    figure("open a link, peer", times.peerDecode, "ms"),
    atMost("open a link, over the peer", times.decode / times.peerDecode, "times", 4),
    figure("open a trace file", times.file, "ms"),
    figure("records to rows", times.model, "ms"),
  ];
}

async function drawRows(trace: Trace): Promise<BenchRow[]> {
  const drawing = await drawLink(encodePermalink(trace).fragment, traceSummary(modelOf(trace)).emitted);
  return [
    figure("tokens of the link that is opened", traceSummary(modelOf(trace)).emitted, "tokens"),
    await timeAtMost("from opening it to its words drawn, nothing cached", drawing.medianMs, "ms", 500),
    atMost("JavaScript asked for until then, compressed", drawing.scriptKilobytes, "kB", 80),
    exactly("requests for a model, the runtime or the editor", drawing.needless, "requests", 0),
    figure("fetched to draw a link, not compressed", drawing.kilobytes, "kB"),
  ];
}

/** How many are opened: what the option says, or `usual`. */
function countOf(option: "hostile" | "files" | "mutations", usual: number): number {
  const given = process.argv.find((argument) => argument.startsWith(`--${option}=`));
  return given === undefined ? usual : Number(given.slice(`--${option}=`.length));
}

/** As many as take a few seconds. */
const usualMutations = 5_000;

/** `--seeds=1,2`: the links of these seeds, as a run before named them. */
function hostile(): Promise<BenchRow[]> {
  const given = process.argv.find((argument) => argument.startsWith("--seeds="));
  const seeds = given?.slice("--seeds=".length).split(",").map(Number) ?? [];
  return hostileRows(seeds.length || countOf("hostile", 100), countOf("files", 20), seeds);
}

async function main(): Promise<void> {
  const isJson = process.argv.includes("--json");
  if (process.argv.includes("--hostile-only")) {
    const rows = await hostile();
    printBench({ bench: "permalink", machine: await machine(), rows }, isJson);
    return;
  }
  const mutations = countOf("mutations", 0);
  if (mutations > 0) {
    const rows = await mutationRows(mutations);
    printBench({ bench: "permalink", machine: await machine(), rows }, isJson);
    return;
  }
  const storyteller = await openStoryteller();
  const traces = await recordRequests(storyteller, 5);
  const [longest] = await recordRequests(storyteller, 1, mostTokens);
  await storyteller.dispose();
  const [first] = traces;
  if (!first || !longest) throw new Error("No request was recorded.");
  const rows = [
    ...sizeRows(traces),
    ...corpusRows(),
    ...timeRows(first),
    ...(await drawRows(longest)),
    ...(await mutationRows(usualMutations)),
    ...(await hostile()),
  ];
  printBench({ bench: "permalink", machine: await machine(), rows }, isJson);
}

await main();
