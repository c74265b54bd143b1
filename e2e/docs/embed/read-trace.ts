import { createTraceModel, openTrace, outputTextOf } from "midtoken/trace";

export async function readTrace(bytes: Uint8Array) {
  const { trace } = await openTrace(bytes);
  const model = createTraceModel();
  model.append(trace.records);
  return { text: outputTextOf(model), interventions: model.interventions.length };
}
