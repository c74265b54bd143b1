/** The sources of the package's workers, in the order in which they are tried. */

import type { FileAddresses } from "../../core/base/file-addresses.ts";
import { type AssetName, assetAddresses, didBundlerOmitAssets } from "./asset-addresses.ts";
import { registeredInlinedAssets } from "./portable.ts";
import { type RuntimeAddresses, runtimeAddresses, unpackInlinedRuntime } from "./runtime-addresses.ts";
import { type WorkerSource, workerSourceFromAddress, workerSourceFromScript } from "./start-worker.ts";

const pageAddress = (): string | undefined => globalThis.document?.baseURI ?? globalThis.location?.href;

/** The sources of the engine's worker. Its first message contains the addresses of its runtimes. */
export function engineWorkerSources(files: FileAddresses): readonly WorkerSource[] {
  const page = pageAddress();
  const runtimes = async (): Promise<RuntimeAddresses> => runtimeAddresses(files, page);
  const ownAddress = files.workerUrl ?? givenAsset(files, "engine-worker.js");
  if (ownAddress !== undefined) return [workerSourceFromAddress(new URL(ownAddress, page).href, runtimes)];
  const source = async (): Promise<string> => (await partsOf("engineWorker")).source;
  return inOrder(
    "engine-worker.js",
    runtimes,
    registeredInlinedAssets() && workerSourceFromScript(source, unpackInlinedRuntime),
  );
}

export function compileWorkerSources(files: FileAddresses): readonly WorkerSource[] {
  const nothing = async (): Promise<undefined> => undefined;
  const ownAddress = givenAsset(files, "compile-worker.js");
  if (ownAddress !== undefined)
    return [workerSourceFromAddress(new URL(ownAddress, pageAddress()).href, nothing)];
  const source = async (): Promise<string> => (await partsOf("compileWorker")).source;
  return inOrder(
    "compile-worker.js",
    nothing,
    registeredInlinedAssets() && workerSourceFromScript(source, nothing),
  );
}

function givenAsset({ assetsUrl }: FileAddresses, name: AssetName): string | undefined {
  if (assetsUrl === undefined) return undefined;
  return `${assetsUrl}${assetsUrl.endsWith("/") ? "" : "/"}${name}`;
}

async function partsOf(part: "engineWorker" | "compileWorker"): Promise<{ readonly source: string }> {
  const inlinedAssets = registeredInlinedAssets();
  if (!inlinedAssets) throw new Error("This build contains no inlined copy of the worker.");
  return inlinedAssets[part]();
}

/**
 * The file as the bundler placed it, and the copy inside the scripts. The copy comes first if the bundler seems to copy no
 * files.
 */
function inOrder(
  name: AssetName,
  first: () => Promise<unknown>,
  copy: WorkerSource | null,
): readonly WorkerSource[] {
  if (copy && didBundlerOmitAssets()) return [copy];
  const asset = workerSourceFromAddress(new URL(assetAddresses[name](), pageAddress()).href, first);
  return copy ? [asset, copy] : [asset];
}
