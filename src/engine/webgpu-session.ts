/** A session of the runtime on a device of ours. */
import type * as Ort from "onnxruntime-web";
import type { TensorInfo } from "./decoder-graph.ts";
import type { RunnerOptions } from "./graph-runner.ts";
import type { WebGpuRuntime } from "./runtime.ts";
import type { WeightFile } from "./weight-file.ts";

/** @throws Error with the runtime's message when it refuses the graph. */
export function createSession(
  { ort }: WebGpuRuntime,
  { graph, externalData, summary }: RunnerOptions<WeightFile>,
  device: GPUDevice,
): Promise<Ort.InferenceSession> {
  // The runtime refuses an empty list.
  const onCpu = summary.rotaryNodes.length > 0 ? { forceCpuNodeNames: summary.rotaryNodes } : {};
  return ort.InferenceSession.create(graph, {
    executionProviders: [{ name: "webgpu", device, ...onCpu }],
    externalData: [...externalData].map(([path, data]) => ({ path, data })),
    preferredOutputLocation: "gpu-buffer",
    logSeverityLevel: 4,
  });
}

/** Inputs or outputs, as `describeGraph` reads them. */
export function describeTensors(metadata: Ort.InferenceSession["inputMetadata"]): TensorInfo[] {
  return metadata.map((value) =>
    value.isTensor
      ? { name: value.name, type: value.type, shape: value.shape }
      : { name: value.name, type: "not a tensor", shape: [] },
  );
}
