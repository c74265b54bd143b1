/**
 * The SDK's own declarations, for an editor that completes and checks mods: made from its source, so that there is no second
 * description to keep in step.
 *
 * Feed every entry to the editor under one folder (in Monaco: `addExtraLib(source, "file:///midtoken/" + name)`) and
 * set `modCompilerOptions`, with `paths` turned to that folder. `sdk-sources.test.ts` checks that the gallery
 * compiles against exactly these files, and that mistakes are found.
 */
import { sdkPaths, sdkTypes } from "virtual:sdk-types";

/** The globals of a mod beside the language's own built-ins. */
const globals = `/** Each line is recorded in the trace, with the event that wrote it. */
declare const console: {
  debug(...values: unknown[]): void;
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
};
`;

/** Path to TypeScript. */
export const sdkSources: Readonly<Record<string, string>> = { "globals.d.ts": globals, ...sdkTypes };

/** How a mod is checked, as a tsconfig has it; `paths` is relative to the folder of `sdkSources`. */
export const modCompilerOptions = {
  target: "ES2023",
  lib: ["ES2023"],
  types: [],
  module: "ESNext",
  moduleResolution: "bundler",
  noEmit: true,
  strict: true,
  paths: sdkPaths,
} as const;
