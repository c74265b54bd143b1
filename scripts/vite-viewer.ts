/**
 * A Vite plugin: what shows a recorded run, built apart from the playground and without React's weight, since a link has to be
 * drawn with little. The same components, with `preact/compat` in React's place (docs/internals/page-builds.md).
 *
 * - `virtual:viewer`: `loadViewer()`, the page of a link (`src/page/app/viewer.tsx`). In dev it is the page's own module, with React.
 * - `virtual:inline-viewer`: `loadInlineViewer()`, one script and one style sheet for a file that shows its run
 *   (`src/page/app/file-viewer.tsx`), with their hashes.
 */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { build, type Plugin, type Rolldown } from "vite";
import type { InlineViewer } from "../src/core/trace/file/export-formats/html.ts";
import { preloadHelperModuleId, preloadHelperPlugin, stylesOnly } from "./vite-preload.ts";

const root = resolve(import.meta.dirname, "..");
const viewerName = "virtual:viewer";
const inlineName = "virtual:inline-viewer";
const resolvedOf = (name: string) => `\0${name}`;

const preactFor: Readonly<Record<string, string>> = {
  react: "preact/compat",
  "react-dom": "preact/compat",
  "react-dom/client": "preact/compat/client",
  "react/jsx-runtime": "preact/jsx-runtime",
};
const alias = Object.entries(preactFor).map(([find, replacement]) => ({
  find: new RegExp(`^${find}$`),
  replacement,
}));

type Groups = Exclude<Rolldown.OutputOptions["codeSplitting"], boolean | undefined>["groups"];

/**
 * A link is drawn with one file, because each further file would be a further request before the words appear. The step
 * inspector follows in one file, which compresses better than the small files of its parts.
 */
const viewerChunks: Groups = [
  { name: "viewer-first", tags: ["$initial"], priority: 1 },
  { name: "step-inspector", test: /\/src\/view\/timeline\/step\/step-inspector\.tsx$/ },
];

type Output = readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[];

interface BuildOptions {
  readonly entry: string;
  readonly format: "es" | "iife";
  readonly plugins: readonly Plugin[];
}

async function buildWithPreact({ entry, format, plugins }: BuildOptions): Promise<Output> {
  const result = await build({
    root,
    configFile: false,
    logLevel: "error",
    base: "./",
    publicDir: false,
    plugins: [preloadHelperPlugin(), ...plugins],
    resolve: { alias },
    build: {
      write: false,
      target: "esnext",
      assetsInlineLimit: 0,
      // A single style sheet if there is a single script; otherwise Vite would insert the styles by script, which the file's
      // policy forbids.
      cssCodeSplit: format === "es",
      modulePreload: { polyfill: false, resolveDependencies: stylesOnly },
      rolldownOptions: {
        input: { viewer: resolve(root, entry) },
        preserveEntrySignatures: format === "es" ? "strict" : false,
        output: {
          format,
          entryFileNames: "assets/[name]-[hash].js",
          chunkFileNames: "assets/[name]-[hash].js",
          codeSplitting: format === "iife" ? false : { groups: viewerChunks },
        },
        checks: { emptyImportMeta: false },
      },
    },
  });
  return [result].flat().flatMap((part) => ("output" in part ? part.output : []));
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;

/** A script that can be placed inside HTML: sequences that would end the script, or begin an HTML comment, are escaped. */
export function escapeInlineScript(code: string): string {
  const script = code.replace(/<\/(?=script)/gi, "<\\/").replaceAll("<!--", "<\\!--");
  if (/\r|\0|<(?=script)/i.test(script)) throw new Error("The inline viewer holds what a page cannot hold.");
  return script;
}

async function buildInlineViewer(): Promise<InlineViewer> {
  const output = await buildWithPreact({
    entry: "src/page/app/file-viewer.tsx",
    format: "iife",
    plugins: [],
  });
  const [chunk, ...others] = output.filter((part) => part.type === "chunk");
  if (!chunk || others.length > 0) throw new Error("The inline viewer must become one script.");
  const styles = output.filter((part) => part.type === "asset").map(({ source }) => String(source));
  if (styles.join("") === "") throw new Error("The inline viewer has no style sheet.");
  const script = escapeInlineScript(chunk.code);
  const style = styles.join("\n").replaceAll("</", "<\\/");
  return { script, scriptHash: hashOf(script), style, styleHash: hashOf(style) };
}

/** The inline viewer as a separate script, which both builds import by its address. */
function inlineViewer(fileName: string): Plugin {
  return {
    name: "midtoken-inline-viewer",
    resolveId: (id) => (id === inlineName ? resolvedOf(inlineName) : null),
    load: (id) =>
      id === resolvedOf(inlineName)
        ? `const here = import.meta.url;
export const loadInlineViewer = () => import(/* @vite-ignore */ new URL(${JSON.stringify(`./${fileName}`)}, here).href);
`
        : null,
  };
}

/** Paths of an entry and of its static imports. */
function staticParts(output: Output): readonly Rolldown.OutputChunk[] {
  const chunks = new Map(output.flatMap((part) => (part.type === "chunk" ? [[part.fileName, part]] : [])));
  const entry = [...chunks.values()].find(({ isEntry }) => isEntry);
  if (!entry) throw new Error("The viewer has no entry.");
  const found = new Set([entry]);
  for (const { imports } of found) {
    for (const path of imports) {
      const chunk = chunks.get(path);
      if (chunk) found.add(chunk);
    }
  }
  return [...found];
}

/** A module that imports the viewer after its style sheets have loaded, so that a link is drawn complete. */
function loader(output: Output): string {
  const parts = staticParts(output);
  const below = (path: string) => `./${path.replace(/^assets\//, "")}`;
  const scripts = parts.map(({ fileName }) => below(fileName));
  const styles = parts.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])].map(below));
  return `import { fetchWith } from ${JSON.stringify(preloadHelperModuleId)};
const here = import.meta.url;
const load = () => import(/* @vite-ignore */ new URL(${JSON.stringify(scripts[0])}, here).href);
export const loadViewer = () => fetchWith(load, ${JSON.stringify([...scripts, ...styles])}, here);
`;
}

/** For the service worker, which caches the files that show a link. */
export interface ViewerPluginApi {
  /** Paths of the files that the viewer's build wrote. */
  readonly files: () => readonly string[];
}

export function viewer(): Plugin<ViewerPluginApi> {
  let isBuild = false;
  let output: Output = [];
  return {
    name: "midtoken-viewer",
    api: { files: () => output.map(({ fileName }) => fileName) },
    configResolved({ command }) {
      isBuild = command === "build";
    },
    resolveId: (id) => (id === viewerName || id === inlineName ? resolvedOf(id) : null),
    async load(id) {
      if (id === resolvedOf(viewerName)) {
        if (!isBuild) return 'export const loadViewer = () => import("/src/page/app/viewer.tsx");\n';
        output = await buildWithPreact({
          entry: "src/page/app/viewer.tsx",
          format: "es",
          plugins: [inlineViewer(inlineFileName(await inlineOnce()))],
        });
        return loader(output);
      }
      if (id !== resolvedOf(inlineName)) return null;
      const inline = await inlineOnce();
      const module = `export const viewer = ${JSON.stringify(inline)};\n`;
      if (!isBuild) return `${module}export const loadInlineViewer = async () => ({ viewer });\n`;
      const name = inlineFileName(inline);
      this.emitFile({ type: "asset", fileName: `assets/${name}`, source: module });
      return `const here = import.meta.url;
export const loadInlineViewer = () => import(/* @vite-ignore */ new URL(${JSON.stringify(`./${name}`)}, here).href);
`;
    },
    /** Runs last, because a style sheet that both halves of the page have is a single file. */
    generateBundle(_options, bundle) {
      for (const part of output) {
        const { fileName } = part;
        const source = part.type === "chunk" ? part.code : part.source;
        if (!(fileName in bundle)) this.emitFile({ type: "asset", fileName, source });
      }
    },
    watchChange() {
      inline = null;
    },
  };
}

let inline: Promise<InlineViewer> | null = null;

function inlineOnce(): Promise<InlineViewer> {
  inline ??= buildInlineViewer();
  return inline;
}

function inlineFileName(viewer: InlineViewer): string {
  const hash = createHash("sha256").update(JSON.stringify(viewer)).digest("base64url").slice(0, 8);
  return `inline-viewer-${hash}.js`;
}
