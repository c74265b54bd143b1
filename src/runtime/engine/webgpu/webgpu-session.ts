/** A session of the runtime on a WebGPU device; its outputs stay there. */
import type * as Ort from "onnxruntime-web";
import type { WeightFile } from "../files/weight-file.ts";
import type { GraphBytes, TensorInfo } from "../onnx/decoder-graph.ts";
import type { WebGpuRuntime } from "../ort/runtime-parts.ts";

/** @param onCpu names of nodes that the CPU computes. @throws Error with the runtime's message if it refuses the graph */
export function createWebGpuSession(
  { ort }: WebGpuRuntime,
  { graph, externalData }: GraphBytes<WeightFile>,
  device: GPUDevice,
  onCpu: readonly string[],
): Promise<Ort.InferenceSession> {
  // The runtime refuses an empty list of names.
  const forced = onCpu.length > 0 ? { forceCpuNodeNames: onCpu } : {};
  return ort.InferenceSession.create(graph, {
    executionProviders: [{ name: "webgpu", device, ...forced }],
    externalData: [...externalData].map(([path, data]) => ({ path, data })),
    preferredOutputLocation: "gpu-buffer",
    logSeverityLevel: 4,
  });
}

/** The inputs or outputs of a session. One that is not a tensor has the type "not a tensor". */
export function toTensorInfos(metadata: Ort.InferenceSession["inputMetadata"]): TensorInfo[] {
  return metadata.map((value) =>
    value.isTensor
      ? { name: value.name, type: value.type, shape: value.shape }
      : { name: value.name, type: "not a tensor", shape: [] },
  );
}
