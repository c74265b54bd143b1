/** Tries several ways to make WebGPU compute a model correctly, the best first. */

import {
  adapterName,
  createGpuDevice,
  hasWideSubgroups,
  isSoftwareAdapter,
  requestAdapter,
} from "../choose/device.ts";
import type { WeightFile } from "../files/weight-file.ts";
import { createDecoderModel, type DecoderModel } from "../graph/decoder-model.ts";
import { checkPasses, checkPassesStartedEarly, type PassCheck } from "../graph/device-check.ts";
import type { RunnerOptions } from "../graph/graph-runner.ts";
import { passCostOnWebGpu } from "../graph/pass-cost.ts";
import type { GraphFileMetadata } from "../onnx/decoder-graph.ts";
import type { GraphSummary } from "../onnx/graph-summary.ts";
import type { CreatedModel, CreateModelOptions } from "./created-model.ts";
import type { RunnerImplementation } from "./implementation.ts";

export type GpuModelOptions = CreateModelOptions &
  GraphFileMetadata &
  Pick<RunnerOptions<WeightFile>, "layers"> & { readonly summary: GraphSummary };

/** A model, or a sentence that says why there is none. */
export type DeviceAttemptResult = CreatedModel | { readonly why: string; readonly cause: unknown };

/** The longest pass that avoids the runtime's kernels for long passes, which it uses from 32 tokens on. */
const shortPasses = 31;
const initialRows = 512;

export interface GpuAttemptOptions {
  /** For each attempt, whether the runtime may use the adapter's subgroups. Unless given, the adapter decides. */
  readonly ways?: readonly boolean[];
  readonly implementation: RunnerImplementation;
}

/**
 * Makes attempts in this order until the device computes correctly: with the adapter's subgroups (if they are wide enough),
 * without subgroups, and with passes too short for the kernels that compute long passes wrong.
 * @returns the reason instead of a model if there is no adapter or every attempt computes wrong.
 * @throws UnsupportedGraphError, or the runtime's error if it refuses the graph; the error of the check if the device fails; the
 *   signal's reason when cancelled.
 */
export async function createOnWebGpu(
  options: GpuModelOptions,
  { ways, implementation }: GpuAttemptOptions,
): Promise<DeviceAttemptResult> {
  const found = await requestAdapter();
  if (typeof found === "string") return { why: found, cause: null };
  const order = ways ?? (hasWideSubgroups(found) ? [true, false] : [false]);
  let last: PassCheck | null = null;
  for (const [i, subgroups] of order.entries()) {
    const opened = await openModel(options, subgroups, implementation);
    if ("why" in opened) return opened;
    const outcome = await checkOrDispose(opened.model, options, i === order.length - 1);
    if (outcome.agrees && !options.signal?.aborted) {
      const reason = reasonOf({ subgroups, before: last, adapter: found, limited: outcome.limited });
      return { model: opened.model, device: "webgpu", adapter: adapterName(found), reason };
    }
    await opened.model.dispose();
    options.signal?.throwIfAborted();
    last = outcome;
  }
  return { why: whyWrong(found, last), cause: null };
}

function whyWrong(adapter: GPUAdapter, check: PassCheck | null): string {
  const percent = ((check?.error ?? 0) * 100).toPrecision(2);
  return `on this adapter (${adapterName(adapter)}), ${check?.passes ?? "long passes"} give wrong results (the logits are off by ${percent}%).`;
}

async function openModel(
  options: GpuModelOptions,
  subgroups: boolean,
  implementation: RunnerImplementation,
): Promise<{ model: DecoderModel } | { why: string; cause: unknown }> {
  // An adapter creates only one device, so every attempt requests a new adapter.
  const adapter = await requestAdapter();
  if (typeof adapter === "string") return { why: adapter, cause: null };
  const device = await createGpuDevice(adapter, { subgroups });
  try {
    options.signal?.throwIfAborted();
    options.onStage?.("compile");
    const runner = await implementation.onWebGpu(
      { ...options, cacheRows: initialRows, logitsStay: !isSoftwareAdapter(adapter) },
      device,
    );
    // As on WebAssembly: with the library, removing rejected draft tokens copies the cache.
    const passCost = implementation.hasKnownPassCost ? passCostOnWebGpu(options.summary) : undefined;
    return { model: createDecoderModel(runner, { ...options, passCost, isPassCostAssumed: true }) };
  } catch (error) {
    device.destroy();
    throw error;
  }
}

/**
 * Checks the model. @throws the error of the check, for example that the device was lost; the model, its session and its
 * device are then disposed of
 */
async function checkOrDispose(
  model: DecoderModel,
  { onStage }: GpuModelOptions,
  mayLimit: boolean,
): Promise<PassCheck & { readonly limited: boolean }> {
  try {
    onStage?.("check");
    const outcome = await checkWays(model, mayLimit);
    if (outcome.agrees && !(await checkPassesStartedEarly(model, model.logitsType)))
      model.disableEarlyPasses();
    return outcome;
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

async function checkWays(
  model: DecoderModel,
  mayLimit: boolean,
): Promise<PassCheck & { readonly limited: boolean }> {
  const whole = await checkPasses(model, model.logitsType);
  if (whole.agrees || !mayLimit) return { ...whole, limited: false };
  model.limitPasses(shortPasses);
  return { ...(await checkPasses(model, model.logitsType)), limited: true };
}

interface Choice {
  readonly subgroups: boolean;
  /** The wrong result of the previous attempt; null before the first attempt. */
  readonly before: PassCheck | null;
  readonly adapter: GPUAdapter;
  readonly limited: boolean;
}

function reasonOf({ subgroups, before, adapter, limited }: Choice): string {
  if (limited) {
    return `The model runs on WebGPU with at most ${shortPasses} tokens per pass, because longer passes give wrong results on this adapter.`;
  }
  if (subgroups)
    return "The model runs on WebGPU. Midtoken tested this adapter: reading 40 tokens in one pass gives the same result as reading them 8 at a time.";
  const width = adapter.info.subgroupMinSize;
  if (before)
    return `The model runs on WebGPU without subgroups, because with subgroups ${before.passes} give wrong results on this adapter.`;
  if (!adapter.features.has("subgroups"))
    return "The model runs on WebGPU. Midtoken tested this adapter: reading 40 tokens in one pass gives the same result as reading them 8 at a time.";
  return `The model runs on WebGPU without subgroups, because this adapter's subgroups have a width of ${width}, but the runtime's attention needs 8. Midtoken tested this adapter: reading 40 tokens in one pass gives the same result as reading them 8 at a time.`;
}
