/**
 * Builds `midtoken/timeline` (`src/package/element`): with `preact/compat` in React's place, and with each style sheet as text that the
 * element's shadow roots adopt, so that a page's policy on styles does not matter. Whatever is not drawn at once is a file of its own,
 * imported relative to the first.
 */
import { resolve } from "node:path";
import { build, type Plugin, type Rolldown } from "vite";

const root = resolve(import.meta.dirname, "..");

/** As `resolve.alias` would have it, but after `reactOfPackages`. */
const preactFor: Readonly<Record<string, string>> = {
  react: "preact/compat",
  "react-dom": "preact/compat",
  "react-dom/client": "preact/compat/client",
  "react/jsx-runtime": "preact/jsx-runtime",
};

/** Of a part that failed, the page speaks of itself; the element stands in a page of someone else's. */
const faultFor = {
  find: /^.*\/pane-fault\.tsx$/,
  replacement: resolve(root, "src/package/element/element-fault.tsx"),
};

/** Recharts asks for it, and it asks for React as CommonJS does. */
const selectorFor = {
  find: /^use-sync-external-store\/(shim\/)?with-selector(\.js)?$/,
  replacement: resolve(root, "src/view/timeline/charts/select-from-store.ts"),
};

/**
 * What Recharts and what it imports take of React. They ask for all of it, by names that are made up as they run, and then all of
 * preact/compat would be in the script that draws the text.
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

/** In packages, `react` is as much of preact/compat as they use. */
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

/** `import "./part.css"` → a module that hands its text to `src/package/element/styles.ts`. */
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
  /** Paths of the files, below the folder that they are written to: `[name]` stands for the part's name. */
  readonly entryFileName?: string;
  readonly chunkFileNames?: string;
}

/** The files of the element: the first one is its entry. Nothing is written. */
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
    // Whatever NODE_ENV says, as in a test.
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
          // What the text is drawn with is one file: each more would be a request more before it is there.
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
