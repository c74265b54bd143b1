/**
 * Builds `midtoken/timeline` (`src/package/element`): with `preact/compat` instead of React, and with style sheets as text that
 * the element's shadow roots adopt, so that a page's policy for styles does not matter. Parts that are not drawn at once are
 * separate files, imported relative to the first file.
 */
import { resolve } from "node:path";
import { build, type Plugin, type Rolldown } from "vite";

const root = resolve(import.meta.dirname, "..");

/** The same replacements as `resolve.alias` would make, but after `reactOfPackages`. */
const preactFor: Readonly<Record<string, string>> = {
  react: "preact/compat",
  "react-dom": "preact/compat",
  "react-dom/client": "preact/compat/client",
  "react/jsx-runtime": "preact/jsx-runtime",
};

/**
 * The page's message for a part that failed to load speaks about the page; the element needs its own message, because it is part
 * of somebody else's page.
 */
const faultFor = {
  find: /^.*\/pane-fault\.tsx$/,
  replacement: resolve(root, "src/package/element/element-fault.tsx"),
};

/** Recharts imports this module, which requires React in the CommonJS way. */
const selectorFor = {
  find: /^use-sync-external-store\/(shim\/)?with-selector(\.js)?$/,
  replacement: resolve(root, "src/view/timeline/charts/select-from-store.ts"),
};

/**
 * The names of React that Recharts and its dependencies use. They import all of React and look names up at run time; without this
 * list, all of preact/compat would be in the script that draws the text.
 */
const ofReact = [
  "Children",
  "Component",
  "Fragment",
  "PureComponent",
  "cloneElement",
  "createContext",
  "createElement",
  "forwardRef",
  "isValidElement",
  "memo",
  "useCallback",
  "useContext",
  "useDebugValue",
  "useEffect",
  "useId",
  "useImperativeHandle",
  "useLayoutEffect",
  "useMemo",
  "useRef",
  "useState",
  "useSyncExternalStore",
  "version",
];

const packagesReactId = "\0react-of-packages.js";

function preactInReactsPlace(): Plugin {
  return {
    name: "midtoken-preact",
    enforce: "pre",
    resolveId(id, importer) {
      const replacement = preactFor[id];
      return replacement ? this.resolve(replacement, importer, { skipSelf: true }) : null;
    },
  };
}

/** For packages, `react` is only the part of preact/compat that they use. */
function reactOfPackages(): Plugin {
  return {
    name: "midtoken-react-of-packages",
    enforce: "pre",
    resolveId: (id, importer) =>
      id === "react" && importer?.includes("/node_modules/") ? packagesReactId : null,
    load: (id) =>
      id === packagesReactId
        ? `import { ${ofReact.join(", ")} } from "preact/compat";
export { ${ofReact.join(", ")} };
export default { ${ofReact.join(", ")} };
`
        : null,
  };
}

const suffix = ".adopted.js";

/** Turns `import "./part.css"` into a module that passes the sheet's text to `src/package/element/styles.ts`. */
function adoptedStyles(): Plugin {
  const styles = resolve(root, "src/package/element/styles.ts");
  return {
    name: "midtoken-adopted-styles",
    enforce: "pre",
    async resolveId(id, importer) {
      if (!id.endsWith(".css") || !importer) return null;
      const found = await this.resolve(id, importer, { skipSelf: true });
      return found && { id: `\0${found.id}${suffix}`, moduleSideEffects: true };
    },
    load(id) {
      if (!id.startsWith("\0") || !id.endsWith(suffix)) return null;
      const path = id.slice(1, -suffix.length);
      return `import text from ${JSON.stringify(`${path}?inline`)};
import { addStyles } from ${JSON.stringify(styles)};
addStyles(text);
`;
    },
  };
}

export interface ElementBuildOptions {
  /** Paths of the files below the output folder; `[name]` is replaced by the part's name. */
  readonly entryFileName?: string;
  readonly chunkFileNames?: string;
}

/** Returns the files of the element without writing them; the first file is the entry. */
export async function buildElement({
  entryFileName = "timeline.js",
  chunkFileNames = "timeline-[name]-[hash].js",
}: ElementBuildOptions = {}): Promise<readonly Rolldown.OutputChunk[]> {
  const result = await build({
    root,
    configFile: false,
    logLevel: "error",
    publicDir: false,
    mode: "production",
    // Independent of NODE_ENV, which a test may set.
    oxc: { jsx: { development: false, runtime: "automatic" } },
    plugins: [reactOfPackages(), preactInReactsPlace(), adoptedStyles()],
    resolve: { alias: [faultFor, selectorFor], conditions: ["module", "browser", "production"] },
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      target: "esnext",
      modulePreload: false,
      lib: {
        entry: resolve(root, "src/package/element/index.ts"),
        formats: ["es"],
        fileName: () => entryFileName,
      },
      rolldownOptions: {
        output: {
          chunkFileNames,
          minify: true,
          // Everything that draws the text is one file: each further file would delay the text by a request.
          codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] },
        },
        checks: { emptyImportMeta: false },
      },
    },
  });
  const chunks = [result].flat().flatMap((part) => ("output" in part ? part.output : []));
  const assets = chunks.filter((part) => part.type === "asset").map(({ fileName }) => fileName);
  if (assets.length > 0) throw new Error(`The element must be scripts alone, and made ${assets.join(", ")}.`);
  return chunks
    .filter((part) => part.type === "chunk")
    .sort((one, other) => Number(other.isEntry) - Number(one.isEntry));
}
