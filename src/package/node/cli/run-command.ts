/** `midtoken run`: sends one request, prints its text while it grows, and saves its timeline. */

import { writeFile } from "node:fs/promises";
import { messageOf } from "../../../core/base/message-of.ts";
import { requestDefaults, sharedDefaults } from "../../../core/base/request-defaults.ts";
import type { FieldsOf, NamesOf } from "../../../core/base/request-fields.ts";
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";
import { engineServerOptions, readEngineServers } from "./engine-option.ts";
import { registerModFiles } from "./mod-files.ts";
import { openEngineWithProgress } from "./open-engine.ts";
import { type OptionValues, readNumberOption, readOptions, requiredOption } from "./options.ts";
import { readTerminalPrompt } from "./read-input.ts";
import { readSamplingOptions, samplingOptions } from "./sampling-options.ts";
import { exitCodes, type Terminal, UsageError } from "./terminal.ts";

/** The type requires an option for each field in the table of request fields. */
const fieldOptions = {
  "max-tokens": { type: "string" },
  seed: { type: "string" },
  stop: { type: "string", multiple: true },
  ban: { type: "string", multiple: true },
  "no-heal": { type: "boolean" },
  raw: { type: "boolean" },
  "on-mod-error": { type: "string" },
  deadline: { type: "string" },
} as const satisfies Readonly<Record<NamesOf<"cli">, object>>;

export const runCommandOptions = {
  model: { type: "string" },
  ...engineServerOptions,
  dtype: { type: "string" },
  mod: { type: "string", multiple: true },
  prompt: { type: "string" },
  system: { type: "string" },
  ...samplingOptions,
  ...fieldOptions,
  trace: { type: "string" },
  viewer: { type: "string" },
  "no-link": { type: "boolean" },
  json: { type: "boolean" },
} as const;

type Values = OptionValues<typeof runCommandOptions>;

export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(words, runCommandOptions);
  if (positionals.length > 0)
    throw new UsageError(
      `"${positionals[0]}" is not an option: if it is the prompt, write --prompt before it.`,
    );
  const model = requiredOption("model", values.model);
  const sampling = readSampling(values);
  const prompt = values.prompt ?? (await readTerminalPrompt(terminal));
  const viewer = values.viewer ?? terminal.environment.MIDTOKEN_VIEWER ?? "";
  const remote = readEngineServers(values, terminal.environment);
  const engine = await openEngineWithProgress(terminal, {
    model,
    viewer,
    ...(values.dtype !== undefined && { dtype: values.dtype }),
    ...(remote && { remote }),
  });
  try {
    const mods = await registerModFiles(
      engine,
      (values.mod ?? []).map((path) => ({ path })),
    );
    const id = engine.models.list()[0]?.id ?? "";
    const request = { ...sampling, model: [id, mods.join(",")].filter(Boolean).join("/") };
    return await answer(engine, { request, prompt, values, terminal });
  } finally {
    engine.dispose();
  }
}

function readSampling(values: Values) {
  // `--raw` chooses between two calls of the API: see `answer`.
  const fields = {
    maxTokens:
      readNumberOption("max-tokens", values["max-tokens"], { min: 1, whole: true }) ??
      requestDefaults.run.maxTokens,
    seed: readNumberOption("seed", values.seed, { min: 0, max: 2 ** 32 - 1, whole: true }),
    stop: values.stop,
    bannedStrings: values.ban,
    heal: values["no-heal"] ? false : undefined,
    onModError: readModErrorRule(values["on-mod-error"]),
    deadlines: readDeadlines(values.deadline),
  } satisfies Readonly<Record<Exclude<FieldsOf<"cli">, "rawPrompt">, unknown>>;
  const { maxTokens, seed, stop, bannedStrings, heal, onModError, deadlines } = fields;
  return {
    max_tokens: maxTokens,
    ...readSamplingOptions(values),
    ...(seed !== undefined && { seed }),
    ...(stop && { stop }),
    ...(bannedStrings && { banned_strings: bannedStrings }),
    midtoken: {
      on_mod_error: onModError,
      ...(heal !== undefined && { heal }),
      ...(deadlines && { deadlines }),
    },
  };
}

function readModErrorRule(word: string = sharedDefaults.onModError): "stop" | "continue" {
  if (word === "stop" || word === "continue") return word;
  throw new UsageError(`--on-mod-error is "${word}": give stop or continue.`);
}

function readDeadlines(text: string | undefined) {
  const deadline = readNumberOption("deadline", text, { min: 1, max: 600_000, whole: true });
  return deadline === undefined ? undefined : { load: deadline, prefilled: deadline, event: deadline };
}

interface Asked {
  readonly request: ReturnType<typeof readSampling> & { readonly model: string };
  readonly prompt: string;
  readonly values: Values;
  readonly terminal: Terminal;
}

async function answer(engine: MidtokenEngine, { request, prompt, values, terminal }: Asked): Promise<number> {
  const { signal } = terminal;
  const messages = [
    ...(values.system === undefined ? [] : [{ role: "system", content: values.system } as const]),
    { role: "user", content: prompt } as const,
  ];
  const shared = { ...request, stream: true, stream_options: { include_usage: true } } as const;
  const stream = values.raw
    ? textPieces(await engine.completions.create({ ...shared, prompt }, { signal }))
    : chatPieces(await engine.chat.completions.create({ ...shared, messages }, { signal }));
  const outcome = new Outcome();
  try {
    for await (const piece of stream) {
      outcome.add(piece);
      if (!values.json) terminal.write(piece.text);
    }
  } catch (error) {
    outcome.error = error;
  }
  if (!values.json) terminal.write("\n");
  const id = engine.requests.list()[0]?.id ?? "";
  const link = await keepTimeline(engine, id, values, terminal);
  if (values.json)
    terminal.write(`${JSON.stringify(outcome.toJson(request.model, id, values.trace, link), null, 2)}\n`);
  else if (outcome.toolCalls.length > 0) terminal.write(`${JSON.stringify(outcome.toolCalls, null, 2)}\n`);
  if (outcome.error !== null) throw outcome.error;
  return exitCodes.done;
}

/** A failed request has a timeline too, if it began. */
async function keepTimeline(
  engine: MidtokenEngine,
  id: string,
  values: Values,
  terminal: Terminal,
): Promise<string | null> {
  const there = await engine.requests.trace(id).then(
    () => true,
    () => false,
  );
  if (!there) return null;
  if (values.trace !== undefined) await writeFile(values.trace, await engine.requests.traceFile(id));
  if (values["no-link"]) return null;
  const link = await engine.requests.permalink(id);
  if (!values.json) {
    if (link.startsWith("#"))
      terminal.tell(
        "To see the timeline, add this to the end of a Midtoken page's address. With --viewer, the whole link is printed.",
      );
    terminal.tell(link);
  }
  return link;
}

interface Piece {
  readonly text: string;
  readonly toolCalls?: readonly ToolCallPiece[];
  readonly cutCall?: number;
  readonly finishReason: string | null;
  readonly usage: object | null;
}

interface ToolCallPiece {
  readonly index: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

type Chunks<Call extends "chat" | "text"> = Awaited<
  ReturnType<
    Call extends "chat"
      ? MidtokenEngine["chat"]["completions"]["create"]
      : MidtokenEngine["completions"]["create"]
  >
>;

async function* chatPieces(chunks: Extract<Chunks<"chat">, AsyncIterable<unknown>>): AsyncGenerator<Piece> {
  for await (const { choices, usage = null } of chunks) {
    const [choice] = choices;
    const { content, tool_calls: toolCalls, midtoken } = choice?.delta ?? {};
    const cutCall = midtoken?.cut_tool_call;
    const finishReason = choice?.finish_reason ?? null;
    yield {
      text: content ?? "",
      ...(toolCalls && { toolCalls }),
      ...(cutCall !== undefined && { cutCall }),
      finishReason,
      usage,
    };
  }
}

async function* textPieces(chunks: Extract<Chunks<"text">, AsyncIterable<unknown>>): AsyncGenerator<Piece> {
  for await (const { choices, usage = null } of chunks) {
    yield { text: choices[0]?.text ?? "", finishReason: choices[0]?.finish_reason ?? null, usage };
  }
}

/** The result of the request. */
class Outcome {
  text = "";
  finishReason: string | null = null;
  usage: object | null = null;
  error: unknown = null;
  /** Index of the call in which the answer was cut. */
  cutCall: number | null = null;
  readonly toolCalls: { id: string; type: "function"; function: { name: string; arguments: string } }[] = [];

  add({ text, toolCalls = [], cutCall, finishReason, usage }: Piece): void {
    this.cutCall ??= cutCall ?? null;
    this.text += text;
    this.finishReason ??= finishReason;
    this.usage ??= usage;
    for (const { index, id, function: called } of toolCalls) {
      this.toolCalls[index] ??= { id: id ?? "", type: "function", function: { name: "", arguments: "" } };
      const call = this.toolCalls[index];
      call.function.name += called?.name ?? "";
      call.function.arguments += called?.arguments ?? "";
    }
  }

  toJson(model: string, requestId: string, trace: string | undefined, permalink: string | null): object {
    return {
      model,
      request_id: requestId,
      text: this.text,
      ...(this.toolCalls.length > 0 && { tool_calls: this.toolCalls }),
      ...(this.cutCall !== null && { cut_tool_call: this.cutCall }),
      finish_reason: this.finishReason,
      usage: this.usage,
      trace: trace ?? null,
      permalink,
      error: this.error === null ? null : messageOf(this.error),
    };
  }
}
