/** `midtoken serve`: OpenAI's API on this machine. */
import { createFetchHandler } from "../../http/fetch-handler.ts";
import { originProblem } from "../../http/other-origins.ts";
import { type HttpServer, startHttpServer } from "../http-server.ts";
import { modelOf } from "../model-of.ts";
import { isHostName, isLoopback } from "../request-head.ts";
import { registerMods } from "./mod-files.ts";
import { openEngine } from "./open-engine.ts";
import { readNumber, readOptions } from "./options.ts";
import { exitCodes, type Terminal, UsageError } from "./terminal.ts";

const options = {
  model: { type: "string", multiple: true },
  dtype: { type: "string" },
  mod: { type: "string", multiple: true },
  port: { type: "string" },
  host: { type: "string" },
  "allow-host": { type: "string", multiple: true },
  origin: { type: "string", multiple: true },
} as const;

/** Settles when Ctrl-C stops it. */
export async function serveCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(words, options);
  if (positionals.length > 0)
    throw new UsageError(`"${positionals[0]}" stands alone: which option is it of?`);
  const { model: models = [], dtype, mod = [], host = "127.0.0.1", origin = [] } = values;
  if (models.length === 0) throw new UsageError("--model is missing.");
  const port = readNumber("port", values.port, { min: 0, max: 65_535, whole: true }) ?? 8080;
  for (const each of origin) checkOrigin(each);
  const allowedHosts = (values["allow-host"] ?? []).map(readHostName);
  const engine = await openEngine(terminal, {});
  try {
    for (const model of models)
      await engine.models.load(await modelOf(model, dtype), { signal: terminal.signal });
    await registerMods(engine, mod);
    const handler = createFetchHandler(engine, { origins: origin });
    const server = await listen({ handler, host, port, allowedHosts });
    const address = `http://${host.includes(":") ? `[${host}]` : host}:${server.port}/v1`;
    terminal.write(`OpenAI's API is at ${address}\n`);
    terminal.write(
      `Models: ${engine.models
        .list()
        .map(({ id }) => id)
        .join(", ")}\n`,
    );
    const names = engine.mods.list().map(({ name }) => name);
    if (names.length > 0)
      terminal.write(`Mods: ${names.join(", ")}; ask the model "ID/mod" to have one at work\n`);
    if (!isLoopback(host)) terminal.tell("Other machines can ask it, and nobody needs a password.");
    await aborted(terminal.signal);
    await server.close();
    return exitCodes.done;
  } finally {
    engine.dispose();
  }
}

/** @throws UsageError for an origin that no browser sends. */
function checkOrigin(origin: string): void {
  const problem = originProblem(origin);
  if (problem !== null) throw new UsageError(`--origin is "${origin}": ${problem}.`);
}

/** @throws UsageError unless it is a name as browsers send it. */
function readHostName(value: string): string {
  const name = value.toLowerCase();
  if (isHostName(name)) return name;
  throw new UsageError(`--allow-host is "${value}": give a name such as models.example, without a port.`);
}

/** @throws UsageError where the port is taken, or not to be had. */
async function listen(options: Parameters<typeof startHttpServer>[0]): Promise<HttpServer> {
  try {
    return await startHttpServer(options);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const { host, port } = options;
    if (code === "EADDRINUSE") {
      throw new UsageError(
        `Port ${port} of ${host} is taken: give another one, or --port 0 for a free one.`,
        { cause },
      );
    }
    throw new UsageError(`It cannot listen at ${host}, port ${port}: ${message}.`, { cause });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
