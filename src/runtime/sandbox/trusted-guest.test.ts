import { expect, test } from "vitest";
import { mod } from "../../core/sdk/mod.ts";
import { startTrustedGuest } from "./trusted-guest.ts";

test.each([
  ["event.logits[3]", true],
  ["const { logits } = event", true],
  ["const { step, logits } = event", true],
  ['event["logits"]', true],
  ["const {\n  step, // first\n  logits,\n} = event", true],
  ["const { step, /* second */ logits } = event", true],
  ["// writes all of the logits", false],
  ["const logits = new Float32Array(9); logits[3] = 1; return actions.adjustLogits(logits)", false],
])("a trusted mod with the source %j reads all logits: %s", (source, expected) => {
  const guest = startTrustedGuest(mod({ finished() {} }), { name: "test", source });
  expect(guest.about.reads.logits).toBe(expected);
  guest.kill();
});
