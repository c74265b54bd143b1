/**
 * Fetches a build of ONNX Runtime Web from the addresses that the page sent. In the npm package, this module replaces
 * `src/runtime/engine/ort/load-runtime.ts`.
 */
import { messageOf } from "../../core/base/message-of.ts";
import { compileRuntime } from "../../runtime/engine/ort/compiled-runtime.ts";
import type { PlainRuntime } from "../../runtime/engine/ort/ort-wasm-module.ts";
import type { GpuBuild, GpuRuntime, TransformersPackage } from "../../runtime/engine/ort/runtime-parts.ts";
import { fetchWasmBinary } from "../../runtime/engine/ort/wasm-binary.ts";
import { assetAddresses } from "./asset-addresses.ts";
import { fetchScript, isSameOriginAddress } from "./fetch-script.ts";
import { createScriptUrl } from "./portable.ts";
import type { RuntimeAddresses } from "./runtime-addresses.ts";

let addresses: RuntimeAddresses | null = null;

/** Must be called before a model is loaded in this worker. */
export function setRuntimeAddresses(given: RuntimeAddresses): void {
  addresses = given;
}

/** @throws Error when a file of the runtime cannot be fetched. */
export async function loadPlainRuntime(): Promise<PlainRuntime> {
  if (globalThis.location === undefined) {
    const { default: create } = await import("midtoken:plain-runtime");
    return compileRuntime(create, await readPackedRuntime());
  }
  const files = known().plain;
  const [{ default: create }, wasmBinary] = await Promise.all([
    importScript<typeof import("midtoken:plain-runtime")>(files.script),
    fetchWasmBinary(files.wasm),
  ]);
  // A script that was loaded from a blob cannot compute the address of the binary.
  const locateFile = (): string => files.wasm;
  return compileRuntime(create, wasmBinary, { locateFile });
}

/** For Node, which fetches no files. */
async function readPackedRuntime(): Promise<Uint8Array<ArrayBuffer>> {
  // `getBuiltinModule` instead of an import, because the page's bundle cannot contain these modules.
  const { readFile } = process.getBuiltinModule("node:fs/promises");
  const { gunzipSync } = process.getBuiltinModule("node:zlib");
  const file = new URL(assetAddresses["ort-wasm-simd-threaded.wasm.gz"]());
  return new Uint8Array(gunzipSync(await readFile(file)));
}

/** @throws Error if a file of the runtime cannot be fetched, or if this build of the app has no runtime for WebGPU. */
export async function loadGpuRuntime(build: GpuBuild): Promise<GpuRuntime> {
  const { gpu } = known();
  if (!gpu) {
    throw new Error(
      "This app's bundler did not include the files of midtoken, so only WebAssembly is available. For WebGPU, serve a copy of node_modules/midtoken/dist and give its address as assetsUrl.",
    );
  }
  const files = gpu[build];
  const [ort, wasmBinary] = await Promise.all([
    importScript<GpuRuntime["ort"]>(files.script),
    fetchWasmBinary(files.wasm),
  ]);
  return { ort, wasm: files.wasm, wasmBinary };
}

/** @throws Error if it cannot be fetched, or if this build of the app does not contain it. */
export async function loadTransformers(): Promise<TransformersPackage> {
  if (globalThis.location === undefined) return import("midtoken:transformers");
  const { transformers } = known();
  if (transformers !== null) return importScript<TransformersPackage>(transformers);
  throw new Error(
    "This model needs @huggingface/transformers, but this app's bundler did not include the files of midtoken. Serve a copy of node_modules/midtoken/dist and give its address as assetsUrl.",
  );
}

function known(): RuntimeAddresses {
  if (!addresses)
    throw new Error(
      "The engine's worker was not sent the addresses of its runtimes. This is a bug in Midtoken: please report it.",
    );
  return addresses;
}

/** A script of another origin gets an address of this page, because it may start workers from its own address. */
async function importScript<Module>(script: string): Promise<Module> {
  const isOwn = isSameOriginAddress(script);
  try {
    const address = isOwn ? script : createScriptUrl(await fetchScript(script));
    return (await import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ address
    )) as Module;
  } catch (cause) {
    throw new Error(
      `The runtime could not be loaded from ${script}: ${messageOf(cause)} Check that the file is there and is served as JavaScript.`,
      { cause },
    );
  }
}
