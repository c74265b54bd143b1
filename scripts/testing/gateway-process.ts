/** `midtoken serve --engine` as its own process, from scripts that are bundled as for the package. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundleEntries } from "../package/bundle.ts";
import { commandLineEntry, root } from "../package/subpaths.ts";

export interface GatewayProcess {
  /** The address of the gateway's API, `http://127.0.0.1:PORT/v1`. */
  readonly address: string;
  readonly pid: number;
  /** What the process has written so far. */
  readonly output: () => string;
  /** Sends SIGTERM, unless another signal is given. Resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface GatewayOptions {
  readonly engines: readonly string[];
  /** The model's folder. */
  readonly model: string;
  readonly words?: readonly string[];
  /** Options of Node. */
  readonly nodeOptions?: readonly string[];
}

export type StartGateway = (options: GatewayOptions) => Promise<GatewayProcess>;

export interface GatewayScripts {
  readonly start: StartGateway;
  remove(): void;
}

/** Bundles the scripts. */
export async function bundleGatewayScripts(): Promise<GatewayScripts> {
  // In node_modules, so that the scripts find the packages that are not bundled.
  const folder = mkdtempSync(resolve(root, "node_modules", ".midtoken-gateway-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await bundleEntries(folder, [commandLineEntry]);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    start: (options) => startGateway(join(folder, `${commandLineEntry.name}.js`), options),
    remove,
  };
}

/** Bundles the scripts, and removes them after the work. */
export async function withGatewayScripts<Result>(
  work: (start: StartGateway) => Promise<Result>,
): Promise<Result> {
  const scripts = await bundleGatewayScripts();
  try {
    return await work(scripts.start);
  } finally {
    scripts.remove();
  }
}

async function startGateway(
  program: string,
  { engines, model, words = [], nodeOptions = [] }: GatewayOptions,
): Promise<GatewayProcess> {
  const servers = engines.flatMap((url) => ["--engine", url]);
  const all = ["serve", "--model", model, ...servers, "--port", "0", "--log", "off", ...words];
  const child = spawn(process.execPath, [...nodeOptions, program, ...all], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    const note = (bytes: unknown): void => {
      out += String(bytes);
      // The line with the models comes when they are loaded.
      const found = /(http:\S+)\nModels:/.exec(out)?.[1];
      if (found) resolve(found);
    };
    child.stdout.on("data", note);
    child.stderr.on("data", note);
    void ended.then(() => reject(new Error(`midtoken serve ended early: ${out}`)));
  });
  return {
    address,
    pid: child.pid ?? 0,
    output: () => out,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await ended;
    },
  };
}
