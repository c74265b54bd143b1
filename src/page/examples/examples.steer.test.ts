/** Each gallery mod that changes the probabilities does what it says. */
import { expect, test } from "vitest";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { runPlainAndModded } from "./testing/run-example.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";
import type { TestRunOutcome } from "./testing/test-model.ts";

describeOnBundledModel((model) => {
  test("ban-token: no Lily, at any step", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "ban-token");
    expect(plain.finished.text).toContain("Lily");
    expect(modded.finished.text).toMatch(/girl named Amy\./);
    const forwardPasses = modded.recordsOf("modCall").filter(({ event }) => event === "forwardPass");
    expect(forwardPasses).toHaveLength(modded.finished.usage.completionTokens);
    for (const { action } of forwardPasses) expect(action).toMatchObject({ type: "adjustLogits", ban: 1 });
  });

  test("ban-word: no ball, though it is two tokens", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "ban-word");
    expect(model().tokenizer.encode(" ball")).toHaveLength(2);
    expect(plain.finished.text).toContain("a big, red ball.");
    expect(modded.finished.text).toContain("a big, red box.");
    expect(modded.finished.text).not.toContain(" ball");
  });

  test("mood-swings: each step's temperature follows its entropy", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "mood-swings");
    const adjusted = modded.recordsOf("adjusted");
    const passes = new Map(
      modded.recordsOf("forwardPass").map((pass) => [pass.step, pass.before?.entropy ?? Number.NaN]),
    );
    expect(adjusted.length).toBeGreaterThan(60);
    for (const { step, temperature } of adjusted) {
      // The mod sees the most likely 64 of 512: nearly all of the entropy.
      const bits = passes.get(step) ?? Number.NaN;
      const expected = bits < 1 ? 0 : Math.min(1.5, bits / 3);
      if (Math.abs(bits - 1) > 0.1) expect(Math.abs((temperature ?? -1) - expected)).toBeLessThan(0.1);
    }
    expect(new Set(adjusted.map(({ temperature }) => temperature)).size).toBeGreaterThan(10);
    expect(modded.finished.text).not.toBe(plain.finished.text);
  });

  test("second-thoughts: unlikely tokens are removed, one at a time", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "second-thoughts");
    const floor = Math.log(0.05);
    const unlikely = (outcome: TestRunOutcome) =>
      outcome.recordsOf("sampled").filter(({ logprobAfter }) => logprobAfter < floor).length;
    expect(unlikely(plain)).toBeGreaterThan(5);
    expect(modded.removed.length).toBeGreaterThan(5);
    expect(modded.recordsOf("backtracked").every(({ removed }) => removed.length === 1)).toBe(true);
    const refused = new Map<number, Set<number>>();
    for (const { step, token, logprobAfter } of modded.recordsOf("sampled")) {
      expect(refused.get(step) ?? new Set()).not.toContain(token);
      if (logprobAfter < floor) refused.set(step, (refused.get(step) ?? new Set()).add(token));
    }
    expect(modded.finished).toMatchObject({ reason: "length", usage: { completionTokens: 64 } });
  });
});

describeOnInstructModel((model) => {
  test("no-em-dash: the model that loves them writes none", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "no-em-dash");
    expect(plain.finished.text).toBe("The sea — our home — is salty.");
    expect(modded.finished.text).toMatch(/^The sea/);
    expect(modded.finished.text).not.toContain("—");
  });
});
