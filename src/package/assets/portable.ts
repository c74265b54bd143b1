/**
 * The package's files for bundlers that copy no files: the same content, in scripts (`portable-*.js`) that are imported on
 * demand. Only entries for such bundlers register it, so other bundles do not contain it. The WebGPU runtimes are not
 * included.
 */
export interface InlinedAssets {
  readonly engineWorker: () => Promise<{ readonly source: string }>;
  readonly compileWorker: () => Promise<{ readonly source: string }>;
  /** `wasm`: compressed with gzip, as base64. */
  readonly runtime: () => Promise<{ readonly script: string; readonly wasm: string }>;
}

let registered: InlinedAssets | null = null;

export function registerInlinedAssets(portable: InlinedAssets): void {
  registered = portable;
}

/** Null if the bundler copies the files. */
export function registeredInlinedAssets(): InlinedAssets | null {
  return registered;
}

/** An address for a script in memory, valid while the page exists. */
export function createScriptUrl(source: string): string {
  return URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
}

/** An address for bytes that are given as base64. */
export function createBinaryUrl(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes]));
}
