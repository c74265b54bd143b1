/** The gallery's first entries look and change nothing. */
import { expect, test } from "vitest";
import { runPlainAndModded } from "./testing/run-example.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";

describeOnBundledModel((model) => {
  const usual =
    ", there was a little girl named Lily. She loved to play outside in the park. One day, she saw";

  test.each(["skeleton", "skeleton-function"])("%s looks and changes nothing", async (name) => {
    const { plain, modded, console } = await runPlainAndModded(model(), name);
    expect(modded.finished.text).toBe(plain.finished.text);
    expect(usual.startsWith(modded.finished.text)).toBe(true);
    expect(console.length).toBeGreaterThan(24);
    const seen = new Set(modded.recordsOf("modCall").map(({ event }) => event));
    expect([...seen]).toEqual(expect.arrayContaining(["prefilled", "forwardPass", "added"]));
  });
});
