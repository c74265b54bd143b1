import { createTraceModel, liveText, openTrace } from "midtoken/trace";

export async function readTrace(bytes: Uint8Array) {
  const { trace } = await openTrace(bytes);
  const model = createTraceModel();
  model.append(trace.records);
  return { text: liveText(model), interventions: model.interventions.length };
}
