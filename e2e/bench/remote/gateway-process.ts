/** `midtoken serve --engine` as its own process, from scripts that are bundled as for the package. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundlePackage } from "../../../scripts/package/bundle.ts";

export interface GatewayProcess {
  /** The address of the gateway's API, `http://127.0.0.1:PORT/v1`. */
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly engines: readonly string[];
  /** The model's folder. */
  readonly model: string;
  readonly words?: readonly string[];
}

/** Bundles the scripts, and removes them after the work. */
export async function withGatewayScripts<Result>(
  work: (start: (options: GatewayOptions) => Promise<GatewayProcess>) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-gateway-"));
  try {
    await bundlePackage(folder);
    return await work((options) => startGateway(join(folder, "cli.js"), options));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startGateway(
  program: string,
  { engines, model, words = [] }: GatewayOptions,
): Promise<GatewayProcess> {
  const servers = engines.flatMap((url) => ["--engine", url]);
  const all = ["serve", "--model", model, ...servers, "--port", "0", "--log", "off", ...words];
  const child = spawn(process.execPath, [program, ...all], { stdio: ["ignore", "pipe", "pipe"] });
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
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
