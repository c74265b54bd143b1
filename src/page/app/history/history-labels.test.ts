/** The texts of a row in the list of runs. */
import { expect, test } from "vitest";
import { runWith } from "../../runs/testing/some-runs.ts";
import { formatWhen, oneLine, runEndLabel, runMetadataLabels, runName } from "./history-labels.ts";

const run = (metadata: Parameters<typeof runWith>[2]) => runWith("a", {}, metadata).metadata;

test.each([
  [{ title: "Mine", prompt: "asked" }, "Mine"],
  [{ title: null, prompt: " Once\n upon\ta time " }, "Once upon a time"],
  [{ title: null, prompt: "\n" }, "No prompt recorded"],
])("%j is called %j", (metadata, name) => expect(runName(run(metadata))).toBe(name));

test("characters that are not seen are shown, and long texts are cut", () => {
  expect(oneLine("a\u202eb")).toBe("a\ufffdb");
  expect(oneLine("x".repeat(1_000)).length).toBeLessThanOrEqual(240);
});

test.each([
  [{ finishReason: "cancelled", interrupted: true }, "interrupted"],
  [{ finishReason: "cancelled", interrupted: false }, "stopped"],
  [{ finishReason: null, interrupted: false }, "end not recorded"],
  [{ finishReason: "length", interrupted: false }, "token limit"],
] as const)("%j ended: %j", (metadata, word) => expect(runEndLabel(metadata)).toBe(word));

test("the metadata of a run", () => {
  const metadata = { model: "org/SmolLM2/", mods: ["a", "b"], tokens: 1_200, finishReason: "stop" } as const;
  expect(runMetadataLabels(run(metadata))).toEqual(["a, b", "SmolLM2", "1,200 tokens", "finished"]);
  expect(runMetadataLabels(run({ model: "", mods: [] }))).toEqual(["no mods", "1 token", "finished"]);
});

test("when: the time today, the day this year, the year before that", () => {
  const at = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime();
  const now = at(2026, 10, 22, 18, 0);
  expect(formatWhen(at(2026, 10, 22, 9, 5), now)).toBe("09:05");
  expect(formatWhen(at(2026, 10, 3, 14, 5), now)).toBe("3 Nov 14:05");
  expect(formatWhen(at(2025, 11, 31, 14, 5), now)).toBe("31 Dec 2025");
});
