/** Runs mods on a scripted model, for unit tests in the mods' own project. */

import { type EveryKey, withoutUndefined } from "../../core/base/every-key.ts";
import { checkOptionKeys, type OptionKeys, refuseUnknownKeys } from "../../core/base/known-keys.ts";
import { randomId } from "../../core/base/random-id.ts";
import { acceptInstancesOfCopies } from "../../core/base/recognise-copies.ts";
import { requestDefaults } from "../../core/base/request-defaults.ts";
import type { FieldsOf, NamesOf, RequestFieldName } from "../../core/base/request-fields.ts";
import { banningModName, banningModSource } from "../../core/sdk/banned-strings.ts";
import { messageKeys } from "../../core/sdk/message-keys.ts";
import { type Mod, modHandlersSource } from "../../core/sdk/mod.ts";
import type {
  FinishReason,
  Message,
  ResponseFormat,
  SamplingSettings,
  ToolCall,
  ToolDefinition,
  Usage,
} from "../../core/sdk/request.ts";
import type { ModCallRecord, Trace, TraceRecord } from "../../core/trace/format/format.ts";
import { traceOf } from "../../core/trace/format/trace-of.ts";
import { createSession } from "../../runtime/session/page-side/client.ts";
import type { RunRequest } from "../../runtime/session/shared/requests.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import { scriptedReference, scriptedSessionOptions } from "./scripted-session.ts";

export interface RunModOptions {
  readonly model: ScriptedModel;
  /** A text becomes one message of the user; by default "Hello". */
  readonly prompt?: string | readonly Message[];
  /** By default 64. */
  readonly maxTokens?: number;
  /** By default the temperature is 0, so the most likely token is chosen. */
  readonly sampling?: Partial<SamplingSettings>;
  /** By default 1. */
  readonly seed?: number;
  readonly stop?: readonly string[];
  /** Phrases that the output must not contain, in upper or lower case. */
  readonly bannedStrings?: readonly string[];
  /** False switches off token healing: texts before the model's own tokens keep their tokens, even if they end within a word. */
  readonly heal?: boolean;
  readonly tools?: readonly ToolDefinition[];
  readonly responseFormat?: ResponseFormat;
  /** By default "throw": `runMod` rejects if a mod fails. "stop" and "continue" work as in a request, and the fault is in `faults`. */
  readonly onModError?: "throw" | "stop" | "continue";
  /** Stops the run: `runMod` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const optionKeys: OptionKeys<RunModOptions> & Readonly<Record<NamesOf<"runMod">, true>> = {
  model: true,
  prompt: true,
  maxTokens: true,
  sampling: true,
  seed: true,
  stop: true,
  bannedStrings: true,
  heal: true,
  tools: true,
  responseFormat: true,
  onModError: true,
  signal: true,
};

/** The result of a run with mods. */
export interface ModRun {
  /** The output. */
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: Usage;
  /** Texts that mods inserted, in order, including those of hidden questions. */
  readonly forced: readonly string[];
  /** Texts that mods removed, in order. */
  readonly removed: readonly string[];
  /** Every reply of every mod, including replies that changed nothing. */
  readonly calls: readonly ModCallRecord[];
  readonly faults: readonly NonNullable<ModCallRecord["fault"]>[];
  readonly records: readonly TraceRecord[];
  readonly trace: Trace;
}

/** The error if a mod failed at an event. */
export class ModFailedError extends Error {
  static {
    acceptInstancesOfCopies(ModFailedError, "ModFailedError");
  }
  override readonly name = "ModFailedError";
  readonly event: ModCallRecord["event"];
  /** The stack of the mod's error; null if there is none. */
  readonly modStack: string | null;

  constructor({ event, fault, step }: ModCallRecord) {
    super(`The mod failed in ${event}(), step ${step}: ${fault?.message}`);
    this.event = event;
    this.modStack = fault?.stack ?? null;
  }
}

/** Milliseconds; long enough for a breakpoint in a handler. */
const deadline = 60_000;

/**
 * Runs one or several mods, and returns the output with their changes. The mods run in the test's own process, so that
 * breakpoints and coverage see them; they use the real engine and decode loop.
 *
 * @example
 * const model = createScriptedModel({ script: "There was a girl named Lily." });
 * const { text } = await runMod(happy, { model, prompt: "Tell me a story." });
 * expect(text).toBe("There was a girl named Max.");
 *
 * Rejects with a ModFailedError if a mod fails, and with an Error if the request is refused or a mod uses layers.
 */
export async function runMod(mods: Mod | readonly Mod[], options: RunModOptions): Promise<ModRun> {
  checkOptionKeys("runMod", options, optionKeys);
  const { model, signal, onModError = "throw", sampling = {}, prompt } = options;
  const refuse = (message: string) => new TypeError(`runMod: ${message}`);
  refuseUnknownKeys(sampling, Object.keys(requestDefaults.runMod.sampling), "sampling", refuse);
  for (const [place, message] of typeof prompt === "object" ? prompt.entries() : [])
    refuseUnknownKeys(message, messageKeys, `prompt[${place}]`, refuse);
  const list = Array.isArray(mods) ? (mods as readonly Mod[]) : [mods as Mod];
  const inside = list.find(({ needs }) => needs.activations);
  if (inside) {
    throw new Error(
      `The mod ${JSON.stringify(inside.name ?? "mod")} works with layers, and a scripted model has none: run it on a real model, for example with createNodeEngine from midtoken/node.`,
    );
  }
  const records: TraceRecord[] = [];
  const session = createSession(scriptedSessionOptions([model]));
  try {
    await session.loadModel(scriptedReference(model), "wasm", {
      onProgress() {},
      signal: signal ?? new AbortController().signal,
    });
    const handle = session.run(requestOf(list, options), (more) => records.push(...more), {
      trusted: new Map(list.entries()),
    });
    signal?.addEventListener("abort", () => handle.stop(), { once: true });
    await handle.done;
    signal?.throwIfAborted();
    return readRun(records, onModError === "throw");
  } finally {
    session.dispose();
  }
}

function requestOf(mods: readonly Mod[], options: RunModOptions): RunRequest {
  const { prompt = "Hello", bannedStrings = [] } = options;
  const defaults = requestDefaults.runMod;
  // Each key is listed, so that the compiler reports a new field of the request table that is missing here.
  const every: EveryKey<RunRequest> = {
    requestId: randomId(),
    messages: typeof prompt === "string" ? [{ role: "user", content: prompt }] : prompt,
    sampling: { ...defaults.sampling, ...options.sampling },
    maxTokens: options.maxTokens ?? defaults.maxTokens,
    stop: options.stop ?? [],
    seed: options.seed ?? defaults.seed,
    tools: options.tools,
    responseFormat: options.responseFormat,
    onModError: options.onModError === "continue" ? "continue" : "stop",
    deadlines: { load: deadline, prefilled: deadline, event: deadline },
    heal: options.heal,
    mods: [
      ...mods.map((mod, place) => ({ name: mod.name ?? `mod ${place + 1}`, source: modHandlersSource(mod) })),
      ...banningMods(bannedStrings),
    ],
    ...notOptions,
  };
  return withoutUndefined(every);
}

function banningMods(phrases: readonly string[]): RunRequest["mods"] {
  return phrases.length === 0 ? [] : [{ name: banningModName, source: banningModSource(phrases) }];
}

/** Fields of a request for which `runMod` has no option. */
const notOptions: Readonly<
  Record<
    Exclude<RequestFieldName, FieldsOf<"runMod"> | "deadlines"> | "branchPoint" | "hasRandomSeed",
    undefined
  >
> = {
  thinking: undefined,
  rawPrompt: undefined,
  parseSpecial: undefined,
  toolChoice: undefined,
  parallelToolCalls: undefined,
  budget: undefined,
  promptLookup: undefined,
  hasRandomSeed: undefined,
  branchPoint: undefined,
};

function readRun(records: readonly TraceRecord[], throwsFaults: boolean): ModRun {
  const of = <Type extends TraceRecord["type"]>(type: Type) =>
    records.filter((record): record is Extract<TraceRecord, { type: Type }> => record.type === type);
  const calls = of("modCall");
  const failed = calls.find(({ fault }) => fault !== null);
  if (failed && throwsFaults) throw new ModFailedError(failed);
  const [finished] = of("finished");
  if (!finished) throw new Error("The run is incomplete. This is a bug in Midtoken: please report it.");
  const { text, reason, toolCalls, usage } = finished;
  if (finished.error && finished.error.mod === null) throw new Error(finished.error.message);
  const added = of("added");
  const texts = new Map(
    added.flatMap(({ index, tokens }) => tokens.map((token, place) => [index + place, token.text] as const)),
  );
  return {
    text,
    finishReason: reason,
    toolCalls,
    usage,
    calls,
    records,
    forced: added
      .filter(({ source }) => source !== "sampled")
      .map(({ tokens }) => tokens.map((token) => token.text).join("")),
    removed: of("backtracked").map(({ removed }) => removed.map((index) => texts.get(index) ?? "").join("")),
    faults: calls.flatMap(({ fault }) => fault ?? []),
    trace: traceOf({ records }),
  };
}
