import { expect, test } from "vitest";
import { toWireEvent } from "./to-wire-event.ts";

test("an event with a step's logits can be posted, whatever the loop lets its own hosts ask of them", () => {
  const logits = Float32Array.of(1, 3, 2);
  const { wire } = toWireEvent(
    {
      type: "forwardPass",
      requestId: "r",
      step: 0,
      hidden: false,
      emitted: [],
      logits,
      canSample: () => true,
    },
    { needs: { logits: true, topK: 2 }, output: null },
  );
  expect(structuredClone(wire)).toMatchObject({ type: "forwardPass", step: 0, logits });
});
