/** Starts and stops a llama.cpp server for tests and benches. */
import { spawn } from "node:child_process";
import { copyFileSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { findLlamaServer, type InstalledLlamaServer, llamaServerRequirement } from "./find-server.ts";

/** Flags with which the server's log-probabilities agree with float32 to 4e-5. */
export const exactLlamaFlags = ["-ctk", "f32", "-ctv", "f32", "-fa", "off", "-cram", "0"] as const;

export interface RunningLlamaServer {
  readonly url: string;
  /** The last 20,000 characters of the server's output. */
  readonly log: () => string;
  /** Kills the server; resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface LlamaServerOptions {
  /** Path of the GGUF file. */
  readonly model: string;
  /** Requests that the server handles at the same time. */
  readonly slots?: number;
  readonly contextLength?: number;
  /** Flags in addition to `exactLlamaFlags`. */
  readonly flags?: readonly string[];
  /** Flags instead of `exactLlamaFlags`. */
  readonly instead?: readonly string[];
  readonly port?: number;
}

const startLimitMs = 60_000;

/** @throws Error with the end of the server's log if the server does not answer within a minute. */
export async function startLlamaServer(options: LlamaServerOptions): Promise<RunningLlamaServer> {
  const server = findLlamaServer();
  if (!server) throw new Error(`Missing: ${llamaServerRequirement}.`);
  const { slots = 1, contextLength = 512, flags = [], instead = exactLlamaFlags } = options;
  const port = options.port ?? (await freePort());
  const { path, forget } = visibleTo(server, options.model);
  const words = ["-m", path, "--port", `${port}`, "--host", "127.0.0.1", "-t", "1", "-ngl", "0"];
  // The server divides the context among its slots.
  words.push("-np", `${slots}`, "-c", `${slots * contextLength}`, ...instead, ...flags);
  const process = spawn(server.command, [...server.before, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  const note = (text: unknown): void => {
    log = `${log}${text}`.slice(-20_000);
  };
  process.stdout.on("data", note);
  process.stderr.on("data", note);
  const ended = new Promise<void>((resolve) => {
    process.once("exit", () => resolve());
    process.once("error", (error) => {
      note(error.message);
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    process.kill("SIGKILL");
    await ended;
    forget();
  };
  const url = `http://127.0.0.1:${port}`;
  const hasStarted = await Promise.race([untilHealthy(url), ended.then(() => false)]);
  if (hasStarted) return { url, log: () => log, stop };
  await stop();
  throw new Error(`The llama.cpp server did not start. Its log ends with: ${log.slice(-2_000)}`);
}

async function untilHealthy(url: string): Promise<boolean> {
  const end = Date.now() + startLimitMs;
  while (Date.now() < end) {
    const isHealthy = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

/** The path of the file as the server sees it: inside its root directory, if it has its own. */
function visibleTo({ root }: InstalledLlamaServer, file: string): { path: string; forget: () => void } {
  if (root === null) return { path: file, forget() {} };
  const name = `${process.pid}-${Date.now()}-${basename(file)}`;
  mkdirSync(join(root, "models"), { recursive: true });
  const inside = join(root, "models", name);
  try {
    linkSync(file, inside);
  } catch {
    // The file is on another file system, so it cannot be linked.
    copyFileSync(file, inside);
  }
  return { path: `/models/${name}`, forget: () => rmSync(inside, { force: true }) };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
