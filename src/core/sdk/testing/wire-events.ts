/** One plain event of each type. Tests copy an event and override fields. */
import type { EventType } from "../event.ts";
import type { WireEvent } from "../wire-event.ts";

type WireOf<Type extends EventType> = Extract<WireEvent, { type: Type }>;

export const sampleWireEvents: { readonly [Type in EventType]: WireOf<Type> } = {
  prefilled: {
    type: "prefilled",
    requestId: "r1",
    step: 0,
    tokens: [8, 9],
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    tools: [],
    responseFormat: null,
    maxTokens: 16,
  },
  forwardPass: {
    type: "forwardPass",
    requestId: "r1",
    step: 3,
    hidden: false,
    top: { tokens: new Int32Array([2, 1, 3]), logprobs: new Float32Array([-0.5, -1.5, -2.5]) },
  },
  sampled: { type: "sampled", requestId: "r1", step: 3, token: 2, text: "b", hidden: false, logprob: -0.5 },
  added: {
    type: "added",
    requestId: "r1",
    step: 3,
    tokens: [1, 2],
    text: "ab",
    hidden: false,
    source: "sampled",
    mod: null,
    isEos: false,
  },
  backtracked: {
    type: "backtracked",
    requestId: "r1",
    step: 1,
    removed: [1, 2],
    text: "ab",
    hidden: false,
    mod: "m",
  },
  finished: {
    type: "finished",
    requestId: "r1",
    step: 3,
    reason: "stop",
    tokens: [1, 2, 3],
    text: "abc",
    usage: { promptTokens: 2, hiddenTokens: 0, completionTokens: 3, reusedTokens: 0, forwardPasses: 4 },
  },
};
