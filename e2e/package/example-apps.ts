/** The examples of docs/embed.md as apps: each in a folder of its own, with the packed tarball in its node_modules. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, normalize, resolve } from "node:path";
import type { BrowserContext } from "playwright-core";
import { build } from "vite";
import { install } from "./app-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const examples = resolve(import.meta.dirname, "examples");

export interface ExampleApp {
  /** The folder that the page is served from. */
  readonly folder: string;
  /** The installed package. */
  readonly installed: string;
  remove(): void;
}

/** Within the repository, whose node_modules has what else an example imports. @param name a folder of `examples`. */
function createFolder(tarball: string, name: string): { readonly path: string; readonly installed: string } {
  mkdirSync(join(root, "dist"), { recursive: true });
  const path = mkdtempSync(join(root, "dist/example-"));
  const installed = join(path, "node_modules/midtoken");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  if (existsSync(join(examples, name))) cpSync(join(examples, name), path, { recursive: true });
  return { path, installed };
}

/** As it is: an import map names the package on a CDN. */
export async function htmlApp(tarball: string): Promise<ExampleApp> {
  const { path, installed } = createFolder(tarball, "html");
  return { folder: path, installed, remove: () => rmSync(path, { recursive: true }) };
}

/** Built by Vite, as it comes. @param name a folder of `examples`, or "first-completion", which is a script alone. */
export async function viteApp(tarball: string, name: string): Promise<ExampleApp> {
  const { path, installed } = createFolder(tarball, name);
  if (name === "first-completion") {
    cpSync(join(root, "e2e/docs/embed/first-completion.ts"), join(path, "main.ts"));
    writeFileSync(
      join(path, "index.html"),
      '<!doctype html><title>First completion</title><script type="module" src="./main.ts"></script>',
    );
  }
  await build({ root: path, configFile: false, logLevel: "error", build: { target: "esnext" } });
  return { folder: join(path, "dist"), installed, remove: () => rmSync(path, { recursive: true }) };
}

/** A Manifest V3 extension, built as its package.json says. */
export async function extensionApp(tarball: string): Promise<ExampleApp> {
  const { path, installed } = createFolder(tarball, "extension");
  execFileSync("npm", ["run", "build"], { cwd: path, stdio: "pipe" });
  return { folder: join(path, "dist"), installed, remove: () => rmSync(path, { recursive: true }) };
}

/** Built by Next into files. Outside the repository, which would be taken for the app's own workspace. Needs the registry. */
export async function nextApp(tarball: string): Promise<ExampleApp> {
  const path = mkdtempSync(join(tmpdir(), "midtoken-next-example-"));
  cpSync(join(examples, "next"), path, { recursive: true });
  install(path, tarball, true);
  const env = { ...process.env, NODE_ENV: "production" as const, NEXT_TELEMETRY_DISABLED: "1" };
  const command = join(path, "node_modules/next/dist/bin/next");
  execFileSync(process.execPath, [command, "build"], { cwd: path, env, stdio: "pipe" });
  const installed = join(path, "node_modules/midtoken");
  return { folder: join(path, "out"), installed, remove: () => rmSync(path, { recursive: true }) };
}

/** Runs the script of the Node example on the bundled model. Gives what it printed. @throws Error if it fails. */
export function runNodeExample(tarball: string): string {
  const { path } = createFolder(tarball, "node");
  try {
    const model = join(root, "public/models/stories260k");
    return execFileSync(process.execPath, ["story.mjs", model, "fp32"], {
      cwd: path,
      encoding: "utf8",
      timeout: 120_000,
    });
  } finally {
    rmSync(path, { recursive: true });
  }
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** The answer of the hub's API: the examples' model has weights of 4 bits, and no other address is known. */
function hubAnswer(url: string) {
  const isList = url.endsWith("/onnx-community/SmolLM2-135M-Instruct-ONNX/tree/main/onnx");
  const { size } = statSync(join(root, "public/models/stories260k/onnx/model.onnx"));
  return {
    status: isList ? 200 : 404,
    contentType: "application/json",
    headers: { "access-control-allow-origin": "*" },
    body: JSON.stringify(isList ? [{ type: "file", path: "onnx/model_q4.onnx", size }] : {}),
  };
}

/** Serves an example's page from folders: the app, the CDN, and the bundled model in the place of the hub's model. */
export async function serveExample(context: BrowserContext, app: ExampleApp): Promise<void> {
  const hub = "https://huggingface.co/onnx-community/SmolLM2-135M-Instruct-ONNX/resolve/main/";
  const folders: Readonly<Record<string, string>> = {
    "https://app.example/": app.folder,
    "https://cdn.example/midtoken/": app.installed,
    [hub]: join(root, "public/models/stories260k"),
  };
  await context.route("**/*", async (route) => {
    const url = route.request().url();
    // Scripts that the page itself made.
    if (!url.startsWith("https:")) return route.continue();
    if (url.startsWith("https://huggingface.co/api/")) return route.fulfill(hubAnswer(url));
    const [prefix, folder] = Object.entries(folders).find(([each]) => url.startsWith(each)) ?? [];
    if (prefix === undefined || folder === undefined) return route.abort();
    const asked = new URL(url).pathname.slice(new URL(prefix).pathname.length) || "index.html";
    // The example's model has weights of 4 bits; the bundled one has none.
    const path = normalize(join(folder, asked.replace("model_q4", "model")));
    if (!path.startsWith(folder) || !existsSync(path))
      return route.fulfill({ status: 404, body: "not here" });
    await route.fulfill({
      body: readFileSync(path),
      contentType: types[extname(path)] ?? "application/octet-stream",
      headers: { "access-control-allow-origin": "*" },
    });
  });
}
