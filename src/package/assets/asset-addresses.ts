/**
 * The files of the package that are fetched and not imported: by names that bundlers understand. Each address is written out
 * once, whole, because Vite, webpack and Turbopack read it in the text and put the file's place in their output there. The
 * functions are called late: a script that is no module has no `import.meta.url`.
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

/** Name of the file that this module becomes. */
const ownFile = "assets.js";

/**
 * Whether a tool has joined this module with others and left its addresses as they are: then the files do not lie there. Such
 * tools (esbuild, Rollup) keep the name of an asset and change the name of this module.
 */
export function assetsWereLeftBehind(): boolean {
  const here: string | undefined = import.meta.url;
  if (!here) return true;
  const { pathname } = new URL(here);
  if (pathname.endsWith(`/${ownFile}`)) return false;
  const untouched = ["engine-worker.js"].map((name) => new URL(`./${name}`, here).href);
  return untouched.includes(assetAddresses["engine-worker.js"]());
}
