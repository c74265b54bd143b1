/** `midtoken watch`: asks a service that gives no token ids, and saves a timeline of the log-probabilities that it streams. */
import { writeFile } from "node:fs/promises";
import type { Trace } from "../../../core/trace/format/format.ts";
import { encodePermalink, encodeTraceFile } from "../../../core/trace/index.ts";
import { createHttpExchange } from "../http-exchange.ts";
import { watchChat } from "../watch/watch-chat.ts";
import { watchedLeftOut } from "../watch/watched-trace.ts";
import { type OptionValues, readNumberOption, readOptions, requiredOption } from "./options.ts";
import { readTerminalPrompt } from "./read-input.ts";
import { readSamplingOptions } from "./sampling-options.ts";
import { exitCodes, type Terminal, UsageError } from "./terminal.ts";

export const watchCommandOptions = {
  url: { type: "string" },
  model: { type: "string" },
  prompt: { type: "string" },
  system: { type: "string" },
  top: { type: "string" },
  "max-tokens": { type: "string" },
  temperature: { type: "string" },
  "top-p": { type: "string" },
  seed: { type: "string" },
  stop: { type: "string", multiple: true },
  trace: { type: "string" },
  viewer: { type: "string" },
  "no-link": { type: "boolean" },
} as const;

type Values = OptionValues<typeof watchCommandOptions>;

/** As many as a trace keeps of each step. */
const mostTop = 10;
const topByDefault = 5;

export const watchHelp = `midtoken watch --url URL --model NAME [--prompt TEXT]

Sends a prompt to a service with OpenAI's chat API, prints the answer, and saves a timeline of the log-probabilities that the service
streams. Such services return no token ids, so mods, masks and branches do not work with them. Without --prompt, the prompt
is read from standard input.

  --url URL             address of the API, such as https://api.openai.com/v1. $MIDTOKEN_ENGINE_KEY holds its API key
  --model NAME          name of the model at this service
  --prompt TEXT         the user message
  --system TEXT         the system message
  --top N               number of alternatives to record for each token, up to ${mostTop}; ${topByDefault} by default. A service may allow fewer
  --max-tokens N        maximum number of tokens in the answer
  --temperature T, --top-p P
                        how tokens are sampled; both are 1 by default
  --seed N, --stop TEXT passed on to the service
  --trace FILE          saves the timeline in a file that any Midtoken page can open
  --viewer ADDRESS      address of the page that the printed link opens; $MIDTOKEN_VIEWER by default
  --no-link             prints no link

Exit code: 0 on success; 1 if the service failed or gives no log-probabilities; 2 for an invalid command line; 130 after Ctrl-C.
`;

export async function watchCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(words, watchCommandOptions);
  if (positionals.length > 0)
    throw new UsageError(
      `"${positionals[0]}" is not an option: if it is the prompt, write --prompt before it.`,
    );
  const url = requiredOption("url", values.url);
  const model = requiredOption("model", values.model);
  const settings = readSettings(values);
  const top = readNumberOption("top", values.top, { min: 1, max: mostTop, whole: true }) ?? topByDefault;
  const content = values.prompt ?? (await readTerminalPrompt(terminal));
  const key = terminal.environment.MIDTOKEN_ENGINE_KEY;
  const system = values.system === undefined ? [] : [{ role: "system", content: values.system } as const];
  const request = { ...settings, model, messages: [...system, { role: "user", content } as const] };
  const { trace, error } = await watchChat(request, {
    access: { url, ...(key !== undefined && key !== "" && { key }) },
    exchange: createHttpExchange(),
    top,
    signal: terminal.signal,
    onText: (text) => terminal.write(text),
  });
  terminal.write("\n");
  await keepTimeline(trace, values, terminal);
  if (error !== null) throw error;
  return exitCodes.done;
}

function readSettings(values: Values) {
  const { temperature = 1, top_p: topP = 1 } = readSamplingOptions(values);
  return {
    temperature,
    topP,
    maxTokens: readNumberOption("max-tokens", values["max-tokens"], { min: 1, whole: true }) ?? null,
    seed: readNumberOption("seed", values.seed, { min: 0, max: 2 ** 32 - 1, whole: true }) ?? null,
    stop: values.stop ?? [],
  };
}

/** An answer that failed has a timeline too, if it began. */
async function keepTimeline(trace: Trace, values: Values, terminal: Terminal): Promise<void> {
  if (!trace.records.some(({ type }) => type === "added")) return;
  if (values.trace !== undefined) await writeFile(values.trace, await encodeTraceFile(trace, watchedLeftOut));
  if (values["no-link"]) return;
  const viewer = values.viewer ?? terminal.environment.MIDTOKEN_VIEWER ?? "";
  const { fragment } = await encodePermalink(trace, {}, watchedLeftOut);
  if (viewer === "")
    terminal.tell(
      "To see the timeline, add this to the end of a Midtoken page's address. With --viewer, the whole link is printed.",
    );
  terminal.tell(viewer.replace(/#.*$/, "") + fragment);
}
