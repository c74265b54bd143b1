/** The request setting `banned_strings`, with the bundled model: a mod in QuickJS enforces it. */
import { generateText } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMidtoken } from "../ai-sdk/index.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createNodeEngine } from "./index.ts";

let engine: MidtokenEngine;

beforeAll(async () => {
  engine = await createNodeEngine({ model: "public/models/stories260k" });
  const source = `import { mod } from "midtoken/mod";
export default mod({
  maxBacktrack: 0,
  added: ({ step, forced }, actions) => (step === 4 && !forced ? actions.forceTokens(" little") : undefined),
});`;
  await engine.mods.register({ name: "little", source });
});
afterAll(() => engine.dispose());

async function ask(banned_strings: readonly string[], model = "stories260k", max_tokens = 40) {
  const messages = [{ role: "user", content: "Once upon a time" }] as const;
  const body = { model, messages, temperature: 0, max_tokens, seed: 1, banned_strings };
  const pieces: string[] = [];
  for await (const { choices } of await engine.chat.completions.create({ ...body, stream: true })) {
    const text = choices[0]?.delta.content;
    if (text) pieces.push(text);
  }
  const id = engine.requests.list().at(-1)?.id ?? "";
  const trace = await engine.requests.trace(id);
  const last = trace.records.at(-1);
  if (last?.type !== "finished") throw new Error("The request has no end.");
  expect(pieces.join("")).toBe(last.text);
  return { text: last.text, error: last.error, pieces, trace };
}

test.each([
  ["little girl", ", there was a"],
  // In upper or lower case.
  ["LITTLE Girl", ", there was a"],
  // A word with and without its space, as one token or several.
  ["Lily", ", there was a little girl named"],
  // A phrase from the middle of one word to the middle of the next.
  ["tle gi", ", there was a"],
])("%j never comes, and the text before it stays", async (phrase, before) => {
  const plain = await ask([]);
  expect(plain.text.toLowerCase()).toContain(phrase.toLowerCase());
  const { text, error } = await ask([phrase]);
  expect(error).toBeNull();
  expect(text.toLowerCase()).not.toContain(phrase.toLowerCase());
  expect(text.startsWith(before)).toBe(true);
});

test("several phrases, each of which the model would take in place of the other", async () => {
  const names = ["Lily", "Amy", "Lucy", "Sarah", "Timmy", "Tim"];
  const { text, error, pieces } = await ask(names);
  expect(error).toBeNull();
  expect(names.filter((name) => text.toLowerCase().includes(name.toLowerCase()))).toEqual([]);
  expect(pieces.length).toBeGreaterThan(3);
});

test("the trace has the mod and what it took back; the model goes another way from the phrase's first token on", async () => {
  const { trace } = await ask(["little girl"]);
  const [request] = trace.records;
  expect(request).toMatchObject({ mods: [{ name: "banned_strings", maxBacktrack: 11 }] });
  const removed = trace.records.filter((record) => record.type === "backtracked");
  expect(removed.length).toBeGreaterThan(0);
});

test("tokens that a mod put there stay: only what the model wrote of the phrase goes", async () => {
  const { text, error } = await ask([" little girl", " little boy"], "stories260k/little", 16);
  expect(error).toBeNull();
  expect(text).toContain(" little");
  expect(text).not.toMatch(/ little (girl|boy)/);
});

const prompt = "Once upon a time";
const limits = { temperature: 0, max_tokens: 40, seed: 1 };
const words = (phrases: readonly string[]) => ({ banned_strings: phrases });

test.each<[string, (phrases: readonly string[]) => Promise<string | undefined>]>([
  [
    "completions",
    async (phrases) => {
      const body = { model: "stories260k", prompt, ...limits };
      const { choices } = await engine.completions.create(Object.assign(body, words(phrases)));
      return choices[0]?.text;
    },
  ],
  [
    "responses",
    async (phrases) => {
      const { max_tokens, ...rest } = limits;
      const body = { model: "stories260k", input: prompt, max_output_tokens: max_tokens, ...rest };
      return (await engine.responses.create(Object.assign(body, words(phrases)))).output_text;
    },
  ],
  [
    "the AI SDK",
    async (bannedStrings) => {
      const model = createMidtoken(engine)("stories260k");
      const settings = { temperature: 0, maxOutputTokens: 40, seed: 1 };
      const providerOptions = { midtoken: { bannedStrings: [...bannedStrings] } };
      return (await generateText({ model, prompt, providerOptions, ...settings })).text;
    },
  ],
])("%s keep the phrase out too", async (_, answer) => {
  expect(await answer([])).toContain("Lily");
  const text = await answer(["Lily", "loved"]);
  expect(text?.length).toBeGreaterThan(40);
  expect(text).not.toMatch(/lily|loved/i);
});
