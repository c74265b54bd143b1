/**
 * Builds the page when something changed, serves it, prints its address.
 * Options: `--port N` (4173 unless taken), `--host H`, `--models DIR` (offers the model folders in DIR on the page), `--engine URL`
 * (passes requests of the page below /engine/ on to this model server, with the key of `--engine-key-file FILE`), `--live` (a signalling server
 * beside the page: runs that are shared live are watched from other machines too), `--live-origin ORIGIN` (a page elsewhere, built
 * with MIDTOKEN_SIGNALLING, that may use that server; may be given again).
 */
import { existsSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildPageIfStale } from "./build-page.ts";
import { createEngineRelay, type EngineRelayOptions } from "./engine-relay.ts";
import { listModels, modelsWithOutsideLinks } from "./list-models.ts";
import { readRelayOptions } from "./relay-options.ts";
import { createStaticServer } from "./static-server.ts";

function readOptions() {
  try {
    return parseArgs({
      options: {
        port: { type: "string" },
        host: { type: "string" },
        models: { type: "string" },
        engine: { type: "string" },
        "engine-key-file": { type: "string" },
        live: { type: "boolean" },
        "live-origin": { type: "string", multiple: true },
      },
    }).values;
  } catch (error) {
    console.error(
      `${(error as Error).message}\nUsage: npm start -- [--port N] [--host H] [--models DIR] [--engine URL [--engine-key-file FILE]] [--live [--live-origin ORIGIN]]`,
    );
    process.exit(2);
  }
}

const options = readOptions();
if (options.host === "") {
  console.error(
    "--host is empty: give a name or an address of this machine, or 0.0.0.0 for all its addresses.",
  );
  process.exit(2);
}
const port = Number(options.port ?? 4173);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(`--port is "${options.port}": give a number from 0 to 65535.`);
  process.exit(2);
}
const liveOrigins = options["live-origin"] ?? [];
const wrongOrigin = liveOrigins.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
if (wrongOrigin !== undefined || (liveOrigins.length > 0 && !options.live)) {
  console.error(
    wrongOrigin === undefined
      ? "--live-origin works only with --live: give both options."
      : `--live-origin is "${wrongOrigin}": give an origin such as https://example.org, with no path.`,
  );
  process.exit(2);
}
const models = options.models === undefined ? null : resolve(options.models);
if (models !== null && !existsSync(models)) {
  console.error(`--models is "${options.models}", but there is no such folder.`);
  process.exit(2);
}

function readEngine(): EngineRelayOptions | null {
  try {
    return readRelayOptions({
      engine: options.engine,
      keyFile: options["engine-key-file"],
      keyOfEnvironment: process.env.MIDTOKEN_ENGINE_KEY,
    });
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}
const engine = readEngine();

const leadingOut = models ? await modelsWithOutsideLinks(models) : [];
const page = await buildPageIfStale(() => console.log("Building the page …"));
const server = createStaticServer({
  pages: { "/": page },
  models: models ? { "/local-models/": models } : {},
  json: {
    "/local-models.json": async () => (models ? listModels(models) : []),
    ...(options.live && { "/live.json": async () => ({ signalling: "live" }) }),
  },
  ...(engine && { relay: { path: "/engine/", answer: createEngineRelay(engine) } }),
  host: options.host,
});
if (options.live) {
  const { attachSignalling } = await import("./signalling.ts");
  attachSignalling(server, { path: "/live", host: options.host, origins: liveOrigins });
}
const host = options.host ?? "127.0.0.1";
/** The host name in the printed address. */
const name = printedName(host);

function printedName(address: string): string {
  if (address === "0.0.0.0" || address === "::") return "localhost";
  return address.includes(":") ? `[${address}]` : address;
}

/** Whether browsers treat this host name as secure without https. */
function isLoopback(hostName: string): boolean {
  return hostName === "localhost" || hostName === "[::1]" || hostName.startsWith("127.");
}

function listen(candidate: number): void {
  server.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE" && options.port === undefined && candidate < port + 20)
      return listen(candidate + 1);
    console.error(
      `The server cannot listen on ${host}:${candidate}: ${error.message}. Choose another port with --port.`,
    );
    process.exit(1);
  });
  server.listen(candidate, host);
}
server.on("listening", () => {
  const { port: actual } = server.address() as AddressInfo;
  console.log(`\n  Midtoken is at  http://${name}:${actual}/\n`);
  if (!isLoopback(name)) {
    console.log(
      "  Browsers offer WebGPU, saved models and offline use only at https:// addresses and localhost. At this\n  address, models run on WebAssembly and are downloaded again at each visit. To avoid this, put an https\n  proxy in front of the server.\n",
    );
  }
  if (options.live)
    console.log("  Machines that reach this address can watch the runs that you share live.\n");
  if (engine) {
    const who = isLoopback(name) ? "this machine" : "machines that reach this address";
    console.log(
      `  Requests to /engine/ from pages on ${who} are forwarded to the model server at ${engine.url}.\n`,
    );
  }
  if (models) console.log(`  Models are served from ${models}\n`);
  for (const each of leadingOut) {
    console.log(
      `  ${each} is not served, because its files are symbolic links to another folder. Copy the folder with cp -rL, which replaces links with files.\n`,
    );
  }
  console.log("  Press Ctrl-C to stop.");
});
listen(port);
