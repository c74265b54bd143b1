/**
 * The SDK's own source, for an editor that completes and checks mods: no second description to keep in step.
 *
 * Feed every entry to the editor under one folder (in Monaco: `addExtraLib(source, "file:///midtoken/" + name)`) and
 * set `modCompilerOptions`, with `paths` turned to that folder. `sdk-sources.test.ts` checks that the gallery
 * compiles against exactly these files, and that mistakes are found.
 */

const modules = import.meta.glob<string>(
  ["../sdk/*.ts", "!**/*.test.ts", "!**/*.test-types.ts", "!**/{runner,public-event,wire-event}.ts"],
  { query: "?raw", import: "default", eager: true },
);

/** What a mod finds besides the language's own built-ins. */
const globals = `/** Lines go into the trace, beside the event that wrote them. */
declare const console: {
  debug(...values: unknown[]): void;
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
};
`;

/** File name to TypeScript source; `index.ts` is `midtoken/mod`. */
export const sdkSources: Readonly<Record<string, string>> = {
  "globals.d.ts": globals,
  ...Object.fromEntries(
    Object.entries(modules).map(([path, source]) => [path.slice(path.lastIndexOf("/") + 1), source]),
  ),
};

/** How a mod is checked, as a tsconfig has it; `paths` is relative to the folder of `sdkSources`. */
export const modCompilerOptions = {
  target: "ES2023",
  lib: ["ES2023"],
  types: [],
  module: "ESNext",
  moduleResolution: "bundler",
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  paths: { "midtoken/mod": ["./index.ts"] },
} as const;
