/** Rivals on the same tokens in one page, each in a thread of its own, taking turns. */
import type { TokenId } from "../../../src/core/sdk/request.ts";
import type { Generated, Subject } from "./rival.ts";
import type { RivalFunctions } from "./rival-worker.ts";
import { logStep } from "./step-log.ts";
import { timedStep } from "./timed-step.ts";
import { openWllama } from "./wllama.ts";
import { type Calls, callsTo } from "./worker-calls.ts";

/** Ours, our model's `forward` without the loop, @huggingface/transformers, the bare `session.run`, and wllama. */
export type RivalKind = "ours" | "forward" | "peer" | "bare" | "wllama";

export interface Entrant {
  /** A name of its own: the key of its times. */
  readonly name: string;
  readonly kind: RivalKind;
  readonly threads: number;
}

export interface ContestOptions {
  readonly subject: Subject;
  readonly device: "wasm" | "webgpu";
  /** The first is ours: its tokens are what the others have to give. */
  readonly entrants: readonly Entrant[];
  /** For wllama: a GGUF file of the same weights. */
  readonly gguf?: string;
  /** Each generation continues the last one and reads nothing again: for texts that take long to read. Only for our engine and the peer. */
  readonly goesOn?: boolean;
  /** Tokens of one generation that are timed: those after the first. */
  readonly timedTokens: number;
  /** Generations of each rival before any counts. */
  readonly warmUps: number;
  readonly rounds: number;
  /** Milliseconds that a step of a rival may take: to open, to generate once, to close. */
  readonly stepLimitMs: number;
}

/** In milliseconds, one value per round. */
export interface Times {
  readonly perTokenMs: readonly number[];
  /** From the call to the first token; empty if there is no such thing. */
  readonly firstTokenMs: readonly number[];
}

export interface ContestResult {
  readonly times: Readonly<Record<string, Times>>;
  readonly promptTokens: number;
  /** Our engine's description of its device, by the entrant's name. */
  readonly adapters: Readonly<Record<string, string>>;
  /** Leading characters that wllama's text shares with ours, since wllama rounds activations; null without wllama. */
  readonly agreement: number | null;
}

interface Turn {
  readonly name: string;
  readonly perTokenMs: number[];
  readonly firstTokenMs: number[];
  take(): Promise<{ readonly perTokenMs: number; readonly firstTokenMs?: number }>;
}

/** @throws Error when the rivals do not give the same prompt, tokens and text: then they did not do the same work. */
export async function contest(options: ContestOptions): Promise<ContestResult> {
  const { subject, device, entrants, timedTokens, warmUps, rounds, gguf, stepLimitMs } = options;
  const workers = new Map<string, Calls<RivalFunctions>>();
  const adapters: Record<string, string> = {};
  const ends: (() => Promise<unknown>)[] = [];
  let prompt: readonly TokenId[] = [];
  let promptText = "";
  let first: Generated | null = null;
  let agreement: number | null = null;
  /** All generations of each rival that continues its text. */
  const written: Generated[][] = [];

  /** The worker of a kind with so many threads, opened once; `forward` is another way through ours. */
  async function rivalOf({ name, kind, threads }: Entrant): Promise<Calls<RivalFunctions>> {
    const opens = kind === "forward" ? "ours" : (kind as "ours" | "peer" | "bare");
    const key = `${opens} ${threads}`;
    const known = workers.get(key);
    if (known) return known;
    const worker = new Worker(new URL("./rival-worker.ts", import.meta.url), { type: "module" });
    const rival = callsTo<RivalFunctions>(worker, {
      who: `${subject.id}, ${opens} (threads: ${threads})`,
      limitsMs: rivalLimitsMs(stepLimitMs),
      log: logStep,
    });
    workers.set(key, rival);
    const capacity = roundUp(prompt.length + timedTokens);
    const opened = await rival.open({ kind: opens, subject, device, threads, capacity });
    if (opened.adapter !== "") adapters[name] = opened.adapter;
    promptText ||= opened.promptText;
    if (prompt.length === 0) prompt = opened.prompt;
    else if (opened.prompt.length > 0) same("prompts", prompt, opened.prompt);
    ends.push(async () => {
      await rival.dispose();
      worker.terminate();
    });
    return rival;
  }

  async function turnOf(entrant: Entrant): Promise<Turn> {
    const record = { name: entrant.name, perTokenMs: [], firstTokenMs: [] };
    if (entrant.kind === "wllama") {
      if (gguf === undefined || first === null)
        throw new Error("wllama needs a GGUF file, and ours before it.");
      const step = <T>(name: string, work: () => Promise<T>) =>
        timedStep(`${subject.id}, wllama: ${name}`, work, { limitMs: stepLimitMs, log: logStep });
      const rival = await step("open", () => openWllama(gguf, promptText, entrant.threads));
      ends.push(() => step("dispose", () => rival.dispose()));
      const generate = () => step("generate", () => rival.generate(timedTokens + 1));
      const { text } = await generate();
      agreement = commonStart(text.trim(), first.text.trim());
      if (agreement < 8)
        throw new Error(`wllama does not say what ours says: ${JSON.stringify([text, first.text])}`);
      return { ...record, take: generate };
    }
    const rival = await rivalOf(entrant);
    if (options.goesOn) {
      const said: Generated[] = [];
      written.push(said);
      const take = async () => {
        const generated = await rival.goOn(timedTokens + 1);
        said.push(generated);
        return generated;
      };
      return { ...record, take };
    }
    if (entrant.kind === "ours" || entrant.kind === "peer") {
      first ??= await rival.generate(timedTokens + 1);
      const expected = first;
      return { ...record, take: async () => checked(await rival.generate(timedTokens + 1), expected) };
    }
    const { tokens } = first ?? { tokens: [] };
    return { ...record, take: async () => ({ perTokenMs: await rival.replay(prompt, tokens) }) };
  }

  const turns: Turn[] = [];
  for (const entrant of entrants) turns.push(await turnOf(entrant));
  for (let round = 0; round < warmUps + rounds; round++) {
    // Another one begins each round, so that none always follows the same other.
    for (let i = 0; i < turns.length; i++) {
      const turn = turns[(round + i) % turns.length] as Turn;
      const { perTokenMs, firstTokenMs } = await turn.take();
      if (round < warmUps) continue;
      turn.perTokenMs.push(perTokenMs);
      if (firstTokenMs !== undefined) turn.firstTokenMs.push(firstTokenMs);
    }
  }
  for (const end of ends) await end();
  const [ours = [], ...others] = written;
  for (const other of others)
    for (const [i, { tokens }] of ours.entries()) same("tokens", other[i]?.tokens ?? [], tokens);
  const times = Object.fromEntries(
    turns.map(({ name, perTokenMs, firstTokenMs }) => [name, { perTokenMs, firstTokenMs }]),
  );
  return { times, promptTokens: prompt.length, adapters, agreement };
}

function rivalLimitsMs(ms: number): Readonly<Record<keyof RivalFunctions, number>> {
  return { open: ms, generate: ms, goOn: ms, replay: ms, dispose: ms };
}

function checked(generated: Generated, expected: Generated): Generated {
  same("tokens", generated.tokens, expected.tokens);
  same("texts", [generated.text.trim()], [expected.text.trim()]);
  return generated;
}

function same(what: string, a: readonly unknown[], b: readonly unknown[]): void {
  const at = a.findIndex((value, i) => value !== b[i]);
  if (at < 0 && a.length === b.length) return;
  throw new Error(`The rivals' ${what} differ at ${at}: ${JSON.stringify(a)} and ${JSON.stringify(b)}.`);
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** The runtime's caches are multiples of 16 rows here, as an engine would make them. */
function roundUp(rows: number): number {
  return 16 * Math.ceil(rows / 16);
}
