import { expect, test } from "vitest";
import { defaultSettings } from "../store/settings-store.ts";
import { unknownFieldSentences } from "./unknown-fields.ts";
import { encodeContentsLine, openWorkspace } from "./workspace-file.ts";

const turns = [{ id: "1", role: "user", text: "Hello" }] as const;
const mod = { name: "a", source: "export default {};", needs: null, entry: null };

test("a workspace that was saved here has no unknown field", async () => {
  const line = encodeContentsLine({
    mods: [mod],
    parts: { vectors: [] },
    setup: { turns, settings: { ...defaultSettings, limits: { budget: 3, deadlines: { event: 5 } } } },
    runCount: 0,
  });
  expect((await openWorkspace(new Blob([line]))).contents.leftOut).toEqual([]);
});

test("a misspelled setting stays out with a sentence, and the rest comes in", async () => {
  const settings = { ...defaultSettings, maxTokens: 7, sampling: { temprature: 2, topP: 0.5 } };
  const line = JSON.stringify({ midtoken: "workspace", version: 1, mods: [mod], setup: { turns, settings } });
  const { contents } = await openWorkspace(new Blob([line]));
  expect(contents.leftOut).toEqual([
    'In the file, setup.settings.sampling.temprature is not known. Did you mean "temperature"? The field is skipped, but the rest of the file can be imported.',
  ]);
  expect(contents.mods).toEqual([mod]);
  expect(contents.setup?.settings).toMatchObject({ maxTokens: 7, sampling: { topP: 0.5 } });
});

test("of many unknown fields the first are named and the others are counted", () => {
  const fields = Object.fromEntries(Array.from({ length: 40 }, (_, place) => [`x${place}`, 1]));
  const said = unknownFieldSentences({ mods: [fields, fields] }, []);
  expect(said.length).toBe(6);
  expect(said[0]).toMatch(/^In the file, mods\[0\]\.x0 is not known\. /);
  expect(said.at(-1)).toBe("The file has 75 more unknown fields.");
});

test("a long or hostile name of a field is shortened and shown without control characters", () => {
  const [said = ""] = unknownFieldSentences({ [`\u202e${"x".repeat(5_000)}`]: 1 }, []);
  expect(said.length).toBeLessThan(300);
  expect(said).not.toContain("\u202e");
});

test("fields of the prototype are unknown", () => {
  expect(unknownFieldSentences(JSON.parse('{ "__proto__": 1, "constructor": {} }'), []).length).toBe(2);
});
