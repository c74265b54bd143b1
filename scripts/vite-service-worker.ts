/** A Vite plugin: builds the service worker (`src/page/app/offline/service-worker.ts`) into `service-worker.js`, with the list of the page's files. Not in dev. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { build, type Plugin, type Rolldown } from "vite";
import type { PageFiles } from "../src/page/app/offline/page-cache.ts";
import { isModelFile } from "./model-files.ts";
import type { ViewerPluginApi } from "./vite-viewer.ts";

const root = resolve(import.meta.dirname, "..");
const hashOf = (content: string | Uint8Array) =>
  createHash("sha256").update(content).digest("hex").slice(0, 16);

export function serviceWorker(): Plugin {
  let viewerFiles: () => readonly string[] = () => [];
  return {
    name: "midtoken-service-worker",
    apply: "build",
    enforce: "post",
    configResolved({ plugins }) {
      const api = plugins.find(({ name }) => name === "midtoken-viewer")?.api as ViewerPluginApi | undefined;
      if (!api)
        throw new Error("The plugin midtoken-viewer must be there: the service worker keeps its files.");
      viewerFiles = api.files;
    },
    generateBundle: {
      order: "post",
      async handler(_options, bundle) {
        const files = filesOf(bundle, viewerFiles());
        this.emitFile({ type: "asset", fileName: "service-worker.js", source: await buildWorker(files) });
      },
    },
  };
}

function filesOf(bundle: Rolldown.OutputBundle, viewer: readonly string[]): PageFiles {
  const page = bundle["index.html"];
  if (page?.type !== "asset") throw new Error("The build has no index.html, which the service worker keeps.");
  const assets = Object.keys(bundle).filter((path) => path.startsWith("assets/"));
  // Shared HTML files are made from this file: it is large, and not needed to show a link.
  const shown = viewer.filter((path) => !path.includes("inline-viewer"));
  const fonts = assets.filter((path) => /-latin-wght-.*\.woff2$/.test(path));
  const own = new Set([...firstParts(bundle), ...shown, ...fonts]);
  const icon = hashOf(readFileSync(resolve(root, "public/favicon.svg")));
  const models = readdirSync(resolve(root, "public/models"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      relative(resolve(root, "public"), resolve(entry.parentPath, entry.name)).replaceAll("\\", "/"),
    )
    .filter((path) => isModelFile(path.split("/").slice(1)))
    .toSorted();
  return {
    shell: [
      { url: "index.html", revision: hashOf(page.source) },
      { url: "favicon.svg", revision: icon },
      ...[...own].toSorted().map((url) => ({ url, revision: null })),
    ],
    assets: assets.toSorted(),
    needs: needsOf(bundle, assets),
    models,
    bytes: Object.fromEntries([
      ...Object.entries(bundle).map(([path, part]) => [path, sizeOf(part)]),
      ...[...models, "favicon.svg"].map((path) => [path, statSync(resolve(root, "public", path)).size]),
    ]),
  };
}

const sizeOf = (part: Rolldown.OutputBundle[string]): number =>
  Buffer.byteLength(part.type === "chunk" ? part.code : part.source);

/** The runtimes that each script names. Worker scripts are assets here. */
function needsOf(bundle: Rolldown.OutputBundle, assets: readonly string[]): PageFiles["needs"] {
  const runtimes = assets.filter((path) => /\.wasm-[\w-]{8}\.gz$/.test(path));
  const needs: Record<string, readonly string[]> = {};
  for (const [path, part] of Object.entries(bundle)) {
    if (!path.endsWith(".js")) continue;
    const code = part.type === "chunk" ? part.code : String(part.source);
    const named = runtimes.filter((runtime) => code.includes(runtime.replace("assets/", "")));
    if (named.length > 0) needs[path] = named;
  }
  return needs;
}

/** The page's entry, its static imports, and their style sheets. */
function firstParts(bundle: Rolldown.OutputBundle): readonly string[] {
  const entry = Object.values(bundle).find((part) => part.type === "chunk" && part.isEntry);
  if (!entry) throw new Error("The build has no entry.");
  const found = new Set([entry.fileName]);
  for (const path of found) {
    const part = bundle[path];
    if (part?.type !== "chunk") continue;
    for (const each of [...part.imports, ...(part.viteMetadata?.importedCss ?? [])]) found.add(each);
  }
  return [...found];
}

async function buildWorker(files: PageFiles): Promise<string> {
  const result = await build({
    root,
    configFile: false,
    logLevel: "error",
    publicDir: false,
    define: { PAGE_FILES: JSON.stringify(files), "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      target: "esnext",
      modulePreload: false,
      rolldownOptions: {
        input: resolve(root, "src/page/app/offline/service-worker.ts"),
        output: { format: "iife", codeSplitting: false },
      },
    },
  });
  const chunks = [result].flat().flatMap((part) => ("output" in part ? part.output : []));
  const [chunk, ...others] = chunks;
  if (chunk?.type !== "chunk" || others.length > 0)
    throw new Error("The service worker must become one script.");
  return chunk.code;
}
