/**
 * For bundlers that copy no files (esbuild, Rollup): the workers and the runtime as scripts, imported if nothing else works.
 * Vite also resolves this entry, but finds the condition false in a build and leaves the scripts out.
 */
import { registerInlinedAssets } from "./portable.ts";

// biome-ignore lint/complexity/useOptionalChain: this is the form that bundlers find.
if (!(import.meta.env && import.meta.env.PROD)) {
  registerInlinedAssets({
    engineWorker: () => import("midtoken:engine-worker-source"),
    compileWorker: () => import("midtoken:compile-worker-source"),
    runtime: () => import("midtoken:runtime-source"),
  });
}
