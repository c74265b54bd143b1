/** The length of links over 50 recorded runs: characters for each token, and for the source of a mod of 1 KB. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { decodeTraceFile } from "../../../src/core/trace/codec/codec.ts";
import { encodePermalink, type LinkSection } from "../../../src/core/trace/file/permalink.ts";
import type { LinkParts } from "../../../src/core/trace/file/project.ts";
import type { Trace } from "../../../src/core/trace/format/format.ts";
import { atMost, type BenchRow, figure } from "../machine.ts";

export const corpusFolder = resolve(import.meta.dirname, "corpus");

export function readCorpus(): readonly Trace[] {
  return readdirSync(corpusFolder)
    .filter((file) => file.endsWith(".trace"))
    .sort()
    .map((file) => decodeTraceFile(readFileSync(join(corpusFolder, file))).trace);
}

const bare: LinkParts = {
  probabilities: false,
  alternatives: "none",
  draws: false,
  tokenIds: false,
  timings: false,
  logs: false,
  prompt: false,
};

/** The tokens of a run, and the characters of the parts of its link. */
interface Cost {
  readonly tokens: number;
  /** Text, boundaries and kinds. */
  readonly text: number;
  readonly probabilities: number;
  /** Where one mod of about 1 KB took part. */
  readonly mod: number | null;
}

function costOf(trace: Trace): Cost {
  const charactersOf = (of: Trace, parts: LinkParts) => {
    const sizes = new Map(encodePermalink(of, parts).sections.map((each) => [each.name, each.characters]));
    return (name: LinkSection) => sizes.get(name) ?? 0;
  };
  // The actions of mods are a part of their own: kinds are the rest of the events, without mods' calls and temperatures.
  const withoutCalls: Trace = {
    ...trace,
    records: trace.records
      .filter(({ type }) => type !== "modCall")
      .map((record) => (record.type === "adjusted" ? { ...record, temperature: null } : record)),
  };
  const without = charactersOf(trace, bare);
  const kinds = charactersOf(withoutCalls, bare)("events");
  const text = without("text") + without("pieces") + kinds;
  const tokens = trace.records.reduce(
    (sum, record) => sum + (record.type === "added" ? record.tokens.length : 0),
    0,
  );
  const [request] = trace.records;
  const [mod, ...others] = request?.type === "request" ? request.mods : [];
  const isKilobyte = mod && others.length === 0 && mod.source.length > 900 && mod.source.length < 1_150;
  return {
    tokens,
    text,
    probabilities: charactersOf(trace, { ...bare, probabilities: true })("probabilities"),
    mod: isKilobyte ? without("mods") : null,
  };
}

/** Over all tokens of the corpus, and in the run where it is most. */
export function corpusRows(): BenchRow[] {
  const costs = readCorpus().map(costOf);
  const perToken = (of: readonly Cost[], count: (cost: Cost) => number) =>
    of.reduce((sum, cost) => sum + count(cost), 0) / of.reduce((sum, { tokens }) => sum + tokens, 0);
  const worst = (count: (cost: Cost) => number) => Math.max(...costs.map((cost) => perToken([cost], count)));
  const text = ({ text }: Cost) => text;
  const all = ({ text, probabilities }: Cost) => text + probabilities;
  const unit = "characters";
  return [
    figure("recorded runs kept in the repository", costs.length, "runs"),
    atMost("  a token's text, boundary and kind, mean", perToken(costs, text), unit, 3.5),
    figure("  in the run where it is most", worst(text), unit),
    atMost("  with probability and entropy, mean", perToken(costs, all), unit, 6),
    figure("  in the run where it is most", worst(all), unit),
    atMost("  a mod of 1 KB, longest", Math.max(...costs.map(({ mod }) => mod ?? 0)), unit, 400),
  ];
}
