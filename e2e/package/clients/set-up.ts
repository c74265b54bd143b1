/** A client in a folder of its own, installed from npm beside the packed tarball, and its cases run there. */
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { install } from "../app-folder.ts";
import type { Client } from "./list.ts";

export interface CaseResult {
  readonly tried: string;
  readonly ok: boolean;
  /** "ok", the sentence of the refusal that was expected, or what went wrong. */
  readonly said: string;
}

export interface ClientModel {
  /** A folder, whose name is the model's id. */
  readonly model: string;
  readonly dtype: string;
}

export interface ClientFolder {
  readonly path: string;
  remove(): void;
}

/** @param packages beside the tarball, by their exact versions: from the registry, or npm's cache. */
export function installClient(packages: Client["packages"], tarball: string): ClientFolder {
  const path = mkdtempSync(join(tmpdir(), "midtoken-client-"));
  const manifest = { name: "client", private: true, type: "module", dependencies: packages };
  writeFileSync(join(path, "package.json"), JSON.stringify(manifest));
  install(path, tarball, true);
  for (const name of readdirSync(import.meta.dirname))
    if (!name.endsWith(".ts")) cpSync(join(import.meta.dirname, name), join(path, name));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** @param baseUrl of `midtoken serve`; null for the fetch handler of `midtoken/openai` in the client's own process. */
export async function runInNode(
  { path }: ClientFolder,
  { program }: Client,
  models: readonly ClientModel[],
  baseUrl: string | null,
): Promise<readonly CaseResult[]> {
  const words = ["run.mjs", program, ...(baseUrl === null ? [] : [baseUrl])];
  const env = { ...process.env, CLIENT_MODELS: JSON.stringify(models) };
  const ran = await promisify(execFile)(process.execPath, words, { cwd: path, env, timeout: 900_000 });
  return JSON.parse(ran.stdout) as CaseResult[];
}

export interface RunningServer {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly processId: number;
  close(): Promise<void>;
}

/** `midtoken serve` as the package in the folder has it; settles once its models are loaded. */
export async function startServe(
  { path }: ClientFolder,
  models: readonly ClientModel[],
): Promise<RunningServer> {
  const named = models.flatMap(({ model }) => ["--model", model]);
  const words = ["node_modules/midtoken/dist/cli.js", "serve", ...named, "--port", "0", "--log", "off"];
  const child = spawn(process.execPath, words, { cwd: path, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  let said = "";
  await new Promise<void>((found, fail) => {
    void ended.then(() => fail(new Error(`midtoken serve ended before it answered: ${said}`)));
    child.stdout.on("data", (text) => {
      said += String(text);
      if (said.includes("Models:")) found();
    });
  });
  return {
    baseUrl: /http:\S+/.exec(said)?.[0] ?? "",
    processId: child.pid ?? 0,
    close() {
      child.kill();
      return ended;
    },
  };
}
