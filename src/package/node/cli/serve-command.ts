/** `midtoken serve`: serves OpenAI's API on this machine. */

import { messageOf } from "../../../core/base/message-of.ts";
import type { UpstreamCounts } from "../../../runtime/remote/upstream-meter.ts";
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";
import type { EngineStore } from "../../api/store/engine-store.ts";
import { createFetchHandler } from "../../http/fetch-handler.ts";
import { originProblem } from "../../http/other-origins.ts";
import {
  type HttpServer,
  type HttpServerOptions,
  limitsForRequests,
  startHttpServer,
} from "../http-server.ts";
import { modelOf, referenceOnServer } from "../model-of.ts";
import { isHostName, isLoopback } from "../request-head.ts";
import { createFrontDoor, defaultServerCapacity, type FrontDoor } from "../serve/front-door.ts";
import type { ServerState } from "../serve/health.ts";
import { readKeyFile } from "../serve/key-file.ts";
import { KeyRing } from "../serve/key-ring.ts";
import type { MetricsSources, ServerMetrics } from "../serve/metrics.ts";
import { formatLogLine, type LogFormat, logFormats } from "../serve/request-log.ts";
import { openStore } from "../store/open-store.ts";
import { type EngineServers, engineServerOptions, readEngineServers } from "./engine-option.ts";
import { type ModFileSettings, registerModFiles } from "./mod-files.ts";
import { readModsFolder } from "./mod-settings.ts";
import { openEngineWithProgress } from "./open-engine.ts";
import { readNumberOption, readOptions } from "./options.ts";
import { serveDefaults } from "./serve-defaults.ts";
import { exitCodes, type Terminal, UsageError } from "./terminal.ts";

export const serveCommandOptions = {
  model: { type: "string", multiple: true },
  ...engineServerOptions,
  dtype: { type: "string" },
  mod: { type: "string", multiple: true },
  port: { type: "string" },
  host: { type: "string" },
  "allow-host": { type: "string", multiple: true },
  origin: { type: "string", multiple: true },
  "key-file": { type: "string" },
  log: { type: "string" },
  queue: { type: "string" },
  timeout: { type: "string" },
  drain: { type: "string" },
  metrics: { type: "boolean" },
  mods: { type: "string" },
  "fixed-mods": { type: "boolean" },
  "trusted-mods": { type: "boolean" },
  connections: { type: "string" },
  store: { type: "string" },
  "store-hours": { type: "string" },
} as const;

interface ServeOptions {
  readonly models: readonly string[];
  /** The servers that run the model; null if models run in this process. */
  readonly engines: EngineServers | null;
  readonly dtype: string | undefined;
  readonly mods: readonly string[];
  readonly host: string;
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly origins: readonly string[];
  readonly keyFile: string | undefined;
  readonly log: LogFormat;
  /** How many requests may wait; no limit if undefined. */
  readonly queue: number | undefined;
  /** The most milliseconds for a request. */
  readonly mostMs: number | undefined;
  /** Milliseconds that requests in progress may take after a signal. */
  readonly drainMs: number;
  readonly hasMetrics: boolean;
  /** A folder whose files are registered as mods. */
  readonly modsFolder: string | undefined;
  readonly hasFixedMods: boolean;
  /** Whether the mods from files run in this process, without sandboxes. */
  readonly hasTrustedMods: boolean;
  /** The most requests in progress. */
  readonly connections: number;
  /** A folder, or the address of a database; undefined for a store in memory. */
  readonly store: string | undefined;
  /** Milliseconds for which a store keeps traces and responses. */
  readonly lifetime: number | undefined;
}

/** Settles when Ctrl-C has stopped the server. */
export async function serveCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const asked = readServeOptions(words, terminal);
  const keys = asked.keyFile === undefined ? null : await readKeys(asked.keyFile);
  const mods = await readMods(asked);
  const { engines } = asked;
  let upstream: UpstreamCounts | null = null;
  const onUpstream = (counts: UpstreamCounts): void => {
    upstream = counts;
  };
  const store = await openServeStore(asked, terminal);
  const engine = await openEngineWithProgress(terminal, {
    ...(engines && { remote: engines, onUpstream }),
    ...(store && { store }),
  }).catch(async (error: unknown) => {
    await store?.close();
    throw error;
  });
  let metrics: ServerMetrics | null = null;
  let state: ServerState = "loading";
  let server: HttpServer | null = null;
  const endReload = keys && asked.keyFile !== undefined ? reloadKeys(keys, asked.keyFile, terminal) : null;
  try {
    const door = createFrontDoor({
      engine,
      capacity: { ...defaultServerCapacity, requests: asked.connections, queue: asked.queue },
      mostMs: asked.mostMs,
      hasFixedMods: asked.hasFixedMods,
      origins: asked.origins,
      keys,
      state: () => state,
      log(request) {
        metrics?.note(request);
        const line = formatLogLine(request, asked.log);
        if (line !== null) terminal.tell(line);
      },
      onNotice: terminal.tell,
    });
    if (asked.hasMetrics) metrics = await openMetrics({ engine, load: door.load, upstream: () => upstream });
    const handler = withMetrics(door, metrics);
    // Listens before the models are loaded, so that `/health` can report that they are being loaded.
    server = await listen({ handler, limits: limitsForRequests(asked.connections), ...asked });
    for (const model of asked.models) {
      const reference = await modelOf(model, asked.dtype);
      const { signal } = terminal;
      await engine.models.load(engines ? referenceOnServer(reference, engines.url) : reference, { signal });
    }
    await registerModFiles(engine, mods);
    await readOneRequest(engine);
    state = "ready";
    announce({ engine, server, hasKeys: keys !== null }, terminal);
    await aborted(terminal.signal);
    state = "stopping";
    await within(door.idle(), asked.drainMs);
    return exitCodes.done;
  } finally {
    endReload?.();
    metrics?.stop();
    await server?.close();
    engine.dispose();
    await store?.close();
  }
}

/** The mods of `--mod`, then those of `--mods`. @throws UsageError */
async function readMods({
  mods,
  modsFolder,
  hasTrustedMods,
}: Pick<ServeOptions, "mods" | "modsFolder" | "hasTrustedMods">): Promise<readonly ModFileSettings[]> {
  const single = mods.map((path) => ({ path, isTrusted: hasTrustedMods }));
  return modsFolder === undefined
    ? single
    : [...single, ...(await readModsFolder(modsFolder, hasTrustedMods))];
}

/** Null for a store in memory. @throws UsageError if the store cannot be used */
async function openServeStore(
  { store, lifetime }: Pick<ServeOptions, "store" | "lifetime">,
  { tell }: Terminal,
): Promise<EngineStore | null> {
  if (store === undefined) return null;
  try {
    return await openStore(store, { onNotice: tell, ...(lifetime !== undefined && { lifetime }) });
  } catch (cause) {
    throw new UsageError(`--store: ${messageOf(cause)}`, { cause });
  }
}

/** Imported on demand, because most servers have no metrics. */
async function openMetrics(sources: MetricsSources): Promise<ServerMetrics> {
  const parts = await import("../serve/metrics.ts");
  return new parts.ServerMetrics(sources);
}

/** Answers `GET /metrics`; passes every other request to the handler. */
function withMetrics(
  handler: FrontDoor,
  metrics: ServerMetrics | null,
): (request: Request) => Promise<Response> {
  if (!metrics) return handler;
  return async (request) => {
    if (request.method !== "GET" || new URL(request.url).pathname !== "/metrics") return handler(request);
    return new Response(await metrics.text(), { headers: { "content-type": metrics.contentType } });
  };
}

/** Sends an empty request before the first client does: at the first request, Node compiles the code that reads requests, which takes 90 ms. */
async function readOneRequest(engine: MidtokenEngine): Promise<void> {
  const headers = { "content-type": "application/json" };
  const empty = new Request("http://serve/v1/chat/completions", { method: "POST", headers, body: "{}" });
  const refused = await createFetchHandler(engine)(empty);
  await refused.text();
}

function readServeOptions(words: readonly string[], { environment }: Terminal): ServeOptions {
  const { values, positionals } = readOptions(words, serveCommandOptions);
  if (positionals.length > 0)
    throw new UsageError(
      `"${positionals[0]}" is not an option: write the option's name before this value, for example --model.`,
    );
  const {
    model: models = [],
    dtype,
    mod: mods = [],
    host = serveDefaults.host,
    origin: origins = [],
  } = values;
  if (models.length === 0) throw new UsageError("--model is missing.");
  const engines = readEngineServers(values, environment);
  if (engines && models.length > 1)
    throw new UsageError(
      "--engine serves one model: give --model once. For another model, start another server.",
    );
  const port =
    readNumberOption("port", values.port, { min: 0, max: 65_535, whole: true }) ?? serveDefaults.port;
  for (const each of origins) checkOrigin(each);
  const allowedHosts = (values["allow-host"] ?? []).map(readHostName);
  const log = readLogFormat(values.log);
  return {
    models,
    engines,
    dtype,
    mods,
    host,
    port,
    allowedHosts,
    origins,
    log,
    keyFile: values["key-file"],
    queue: readNumberOption("queue", values.queue, { min: 0, max: 256, whole: true }),
    mostMs: milliseconds("timeout", values.timeout, 1),
    drainMs: milliseconds("drain", values.drain, 0) ?? 1_000 * serveDefaults.drainSeconds,
    hasMetrics: values.metrics ?? false,
    modsFolder: values.mods,
    hasFixedMods: values["fixed-mods"] ?? false,
    hasTrustedMods: readTrustedMods(values),
    connections:
      readNumberOption("connections", values.connections, { min: 1, max: 4_096, whole: true }) ??
      defaultServerCapacity.requests,
    store: values.store,
    lifetime: readLifetime(values),
  };
}

/** @throws UsageError */
function readTrustedMods(values: {
  readonly mod?: readonly string[];
  readonly mods?: string;
  readonly "trusted-mods"?: boolean;
}): boolean {
  const areTrusted = values["trusted-mods"] ?? false;
  if (areTrusted && !values.mod && values.mods === undefined)
    throw new UsageError(
      "--trusted-mods affects only the mods of --mod and --mods: give at least one of these options.",
    );
  return areTrusted;
}

/** @throws UsageError */
function readLifetime({
  store,
  "store-hours": hours,
}: {
  readonly store?: string;
  readonly "store-hours"?: string;
}): number | undefined {
  if (hours !== undefined && store === undefined) throw new UsageError("--store-hours needs --store.");
  const given = readNumberOption("store-hours", hours, { min: 0.01, max: 8_760 });
  return given === undefined ? undefined : 3_600_000 * given;
}

function milliseconds(name: string, text: string | undefined, min: number): number | undefined {
  const seconds = readNumberOption(name, text, { min, max: 86_400 });
  return seconds === undefined ? undefined : 1_000 * seconds;
}

/** @throws UsageError for an origin that no browser sends. */
function checkOrigin(origin: string): void {
  const problem = originProblem(origin);
  if (problem !== null) throw new UsageError(`--origin is "${origin}": ${problem}.`);
}

/** @throws UsageError unless browsers would send this name. */
function readHostName(value: string): string {
  const name = value.toLowerCase();
  if (isHostName(name)) return name;
  throw new UsageError(`--allow-host is "${value}": give a name such as models.example, without a port.`);
}

function readLogFormat(value: string = serveDefaults.log): LogFormat {
  const format = logFormats.find((each) => each === value);
  if (format) return format;
  throw new UsageError(`--log is "${value}": give ${logFormats.join(", ")}.`);
}

async function readKeys(path: string): Promise<KeyRing> {
  try {
    return new KeyRing(await readKeyFile(path), () => performance.now());
  } catch (cause) {
    throw new UsageError(messageOf(cause), { cause });
  }
}

/** Reads the key file again on SIGHUP. If the file has a mistake, the keys stay as they are. */
function reloadKeys(keys: KeyRing, path: string, { onHangup, tell }: Terminal): () => void {
  const reload = async (): Promise<void> => {
    try {
      const read = await readKeyFile(path);
      keys.replace(read);
      tell(`The key file was reloaded: ${read.length} keys.`);
    } catch (error) {
      tell(`The key file was not reloaded, so the old keys stay valid. ${messageOf(error)}`);
    }
  };
  return onHangup?.(() => void reload()) ?? (() => undefined);
}

interface Announced {
  readonly engine: MidtokenEngine;
  readonly server: HttpServer;
  readonly hasKeys: boolean;
}

function announce({ engine, server: { host, port }, hasKeys }: Announced, terminal: Terminal): void {
  const models = engine.models.list().map(({ id }) => id);
  const mods = engine.mods.list().map(({ name }) => name);
  terminal.write(
    `The OpenAI-compatible API is at http://${host.includes(":") ? `[${host}]` : host}:${port}/v1\n`,
  );
  terminal.write(`Models: ${models.join(", ")}\n`);
  if (mods.length > 0) terminal.write(`Mods: ${mods.join(", ")}. Request the model "ID/MOD" to use a mod.\n`);
  if (!isLoopback(host) && !hasKeys)
    terminal.tell("Other machines can send requests without a key. Use --key-file FILE to require keys.");
}

/** @throws UsageError if the port is taken, or may not be used. */
async function listen(options: HttpServerOptions): Promise<HttpServer> {
  try {
    return await startHttpServer(options);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const { host, port } = options;
    if (code === "EADDRINUSE") {
      throw new UsageError(
        `Port ${port} of ${host} is in use: give another port, or --port 0 for a free one.`,
        { cause },
      );
    }
    throw new UsageError(`The server cannot listen on ${host}, port ${port}: ${message}.`, { cause });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Settles when the promise does, or after `ms` milliseconds. */
async function within(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
