/**
 * Replaces the package's files where a bundler copies none: the same content as scripts that are imported on demand.
 * Only entries for such bundlers register it, so others do not carry it. WebGPU's runtimes are not included.
 */
export interface Portable {
  readonly engineWorker: () => Promise<{ readonly source: string }>;
  readonly compileWorker: () => Promise<{ readonly source: string }>;
  /** `wasm`: gzip, in base64. */
  readonly runtime: () => Promise<{ readonly script: string; readonly wasm: string }>;
}

let registered: Portable | null = null;

export function registerPortable(portable: Portable): void {
  registered = portable;
}

/** Null if the bundler takes the files themselves along. */
export function portable(): Portable | null {
  return registered;
}

/** An address for a script in memory, for as long as the page lives. */
export function scriptAddress(source: string): string {
  return URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
}

/** An address for bytes in base64. */
export function binaryAddress(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes]));
}
