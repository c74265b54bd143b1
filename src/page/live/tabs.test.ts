/** Lines over Node's own BroadcastChannel; e2e/files/conformance.spec.ts has them in a browser, with its locks. */
import { test } from "vitest";
import { createTabTransport } from "./tabs.ts";
import { transportConformance } from "./transport.conformance.ts";

const patient = createTabTransport({ locks: undefined, answerMs: 60_000 });
const impatient = createTabTransport({ locks: undefined, answerMs: 50 });

for (const { name, isUnanswered, run } of transportConformance)
  test(name, () => run(isUnanswered ? impatient : patient));
