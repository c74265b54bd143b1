/** Events as the loop gives them to the host of a mod. */
import type { LoopEvent } from "../../../core/decoder/ports/mod-host.ts";

type EventOf<Type extends LoopEvent["type"]> = Extract<LoopEvent, { type: Type }>;

/** The fields of every event. */
export const sampleEventFields = { requestId: "r1", step: 3 } as const;

export const prefilledEvent: EventOf<"prefilled"> = {
  ...sampleEventFields,
  type: "prefilled",
  tokens: [8, 9],
  messages: [{ role: "user", content: "hi" }],
  tools: [],
  responseFormat: null,
  maxTokens: 5,
};

/** A pass that gave `vocabularySize` logits. */
export function createForwardPassEvent(
  vocabularySize: number,
): EventOf<"forwardPass"> & { logits: Float32Array } {
  const logits = Float32Array.from({ length: vocabularySize }, (_, token) => Math.sin(token));
  return { ...sampleEventFields, type: "forwardPass", logits, hidden: false, emitted: [] };
}

export const addedEvent: EventOf<"added"> = {
  ...sampleEventFields,
  type: "added",
  tokens: [1, 2],
  text: "ab",
  source: "sampled",
  mod: null,
  isEos: false,
  hidden: false,
  emitted: [],
};
