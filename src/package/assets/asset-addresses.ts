/**
 * Addresses of the package's files that are fetched instead of imported, in a form that bundlers understand. Each address is
 * written out completely, because Vite, webpack and Turbopack find it in the text and replace it with the file's place in
 * their output. They are functions, because a script that is not a module has no `import.meta.url`.
 */
export const assetAddresses = {
  "engine-worker.js": () => new URL("./engine-worker.js", import.meta.url).href,
  "compile-worker.js": () => new URL("./compile-worker.js", import.meta.url).href,
  "transformers.js": () => new URL("./transformers.js", import.meta.url).href,
  "ort-wasm-simd-threaded.js": () => new URL("./ort-wasm-simd-threaded.js", import.meta.url).href,
  "ort-wasm-simd-threaded.wasm.gz": () => new URL("./ort-wasm-simd-threaded.wasm.gz", import.meta.url).href,
  "ort-jspi.js": () => new URL("./ort-jspi.js", import.meta.url).href,
  "ort-wasm-simd-threaded.jspi.wasm.gz": () =>
    new URL("./ort-wasm-simd-threaded.jspi.wasm.gz", import.meta.url).href,
  "ort-asyncify.js": () => new URL("./ort-asyncify.js", import.meta.url).href,
  "ort-wasm-simd-threaded.asyncify.wasm.gz": () =>
    new URL("./ort-wasm-simd-threaded.asyncify.wasm.gz", import.meta.url).href,
} as const;

export type AssetName = keyof typeof assetAddresses;

/** Name of the file that this module is compiled to. */
const ownFile = "assets.js";

/**
 * Whether a bundler has joined this module with others and left its addresses unchanged, so that the files are not there.
 * Such bundlers (esbuild, Rollup) keep the names of assets but change the name of this module.
 */
export function didBundlerOmitAssets(): boolean {
  const here: string | undefined = import.meta.url;
  if (!here) return true;
  const { pathname } = new URL(here);
  if (pathname.endsWith(`/${ownFile}`)) return false;
  const untouched = ["engine-worker.js"].map((name) => new URL(`./${name}`, here).href);
  return untouched.includes(assetAddresses["engine-worker.js"]());
}
