/** The addresses of ONNX Runtime's files, which the engine's worker gets in its first message. */
import type { FileAddresses } from "../../core/base/file-addresses.ts";
import type { GpuBuild } from "../../runtime/engine/ort/runtime-parts.ts";
import { type AssetName, assetAddresses } from "./asset-addresses.ts";
import { createBinaryUrl, createScriptUrl, registeredInlinedAssets } from "./portable.ts";

/** Absolute addresses. */
export interface RuntimeFileAddresses {
  readonly script: string;
  readonly wasm: string;
}

export interface RuntimeAddresses {
  readonly plain: RuntimeFileAddresses;
  /** Null if the bundler copied no files: then only WebAssembly is available. */
  readonly gpu: Readonly<Record<GpuBuild, RuntimeFileAddresses>> | null;
  /** The script of @huggingface/transformers; null if the bundler copied no files. */
  readonly transformers: string | null;
}

const names = {
  plain: ["ort-wasm-simd-threaded.js", "ort-wasm-simd-threaded.wasm.gz"],
  jspi: ["ort-jspi.js", "ort-wasm-simd-threaded.jspi.wasm.gz"],
  asyncify: ["ort-asyncify.js", "ort-wasm-simd-threaded.asyncify.wasm.gz"],
} as const satisfies Record<string, readonly [AssetName, AssetName]>;

function addressesBy(addressOf: (name: AssetName) => string): RuntimeAddresses {
  const files = ([script, wasm]: readonly [AssetName, AssetName]): RuntimeFileAddresses => ({
    script: addressOf(script),
    wasm: addressOf(wasm),
  });
  return {
    plain: files(names.plain),
    gpu: { jspi: files(names.jspi), asyncify: files(names.asyncify) },
    transformers: addressOf("transformers.js"),
  };
}

/** @param page the base of relative addresses */
export function runtimeAddresses(
  { assetsUrl, workerUrl }: FileAddresses,
  page: string | undefined,
): RuntimeAddresses {
  const folder = assetsUrl === undefined ? workerUrl : withTrailingSlash(assetsUrl);
  // Turbopack's addresses are relative to the server's root.
  if (folder === undefined) return addressesBy((name) => new URL(assetAddresses[name](), page).href);
  const base = new URL(folder, page);
  return addressesBy((name) => new URL(name, base).href);
}

/** The address, with a slash at its end. */
export function withTrailingSlash(assetsUrl: string): string {
  return assetsUrl.endsWith("/") ? assetsUrl : `${assetsUrl}/`;
}

let unpacked: Promise<RuntimeAddresses> | null = null;

/** Addresses of the runtime that was imported as a script. They are valid for all workers of the page. */
export function unpackInlinedRuntime(): Promise<RuntimeAddresses> {
  unpacked ??= unpackRuntime().catch((error: unknown) => {
    unpacked = null;
    throw error;
  });
  return unpacked;
}

async function unpackRuntime(): Promise<RuntimeAddresses> {
  const inlinedAssets = registeredInlinedAssets();
  if (!inlinedAssets) throw new Error("This build contains no inlined copy of the runtime.");
  const { script, wasm } = await inlinedAssets.runtime();
  const plain = { script: createScriptUrl(script), wasm: createBinaryUrl(wasm) };
  return { plain, gpu: null, transformers: null };
}
