/** Lines over Node's own BroadcastChannel; e2e/files/conformance.spec.ts has them in a browser, with its locks. */
import { test } from "vitest";
import { createTabTransport } from "./tabs.ts";
import { transportConformance } from "./transport.conformance.ts";

const tabs = createTabTransport({ locks: undefined, answerMs: 3_000 });

for (const { name, run } of transportConformance) test(name, () => run(tabs));
