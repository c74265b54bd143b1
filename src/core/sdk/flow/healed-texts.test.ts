/** The texts of a flow and the completion of a question end within a word: their ends are healed like those of forced texts. */
import { expect, test } from "vitest";
import { wordTokenizer } from "../../decoder/testing/word-tokenizer.ts";
import { choices } from "../../masks/strategies/choices.ts";
import type { Mod } from "../mod.ts";
import { flow } from "./flow.ts";
import { question } from "./question.ts";
import { selfPromptMod } from "./self-prompt.ts";
import { message, summary } from "./target.ts";
import { runMods } from "./testing/run-mod.ts";

const words = ["It", " is", " ", " Paris", "Paris", ".", "?", " yes", " no", "x", " Pa", "ris"];
const tokenizer = wordTokenizer(words);
const end = words.length;
const id = (word: string) => words.indexOf(word);

/** After " is" the model writes " Paris". After " " and " Pa", which it has never seen at the end of a text, it writes "x". */
const nextWords: Readonly<Record<string, readonly string[]>> = {
  It: [" is"],
  " is": [" Paris"],
  "?": [" yes", " no"],
  " Paris": ["."],
  " ": ["x"],
  " Pa": ["x"],
};

function logits(context: readonly number[]): Float32Array {
  const row = new Float32Array(end + 1);
  const next = nextWords[words[context.at(-1) ?? -1] ?? ""] ?? [];
  for (const [place, word] of next.entries()) row[id(word)] = 10 - place;
  if (next.length === 0) row[end] = 10;
  return row;
}

async function textOf(mod: Mod): Promise<string> {
  const run = await runMods([mod], {
    tokenizer,
    request: { prompt: tokenizer.encode("It"), maxTokens: 12 },
    model: { vocabularySize: end + 1, endOfSequence: [end], logits },
  });
  expect(run.faults).toEqual([]);
  return run.text;
}

const asks = { name: "asked", prompt: "?", responses: [" yes", " no"], erase: "all" } as const;

test.each<[string, () => Mod, string]>([
  ["a text", () => flow({ entry: question(asks).then(" is ") }).asMod(), " is Paris."],
  ["a message", () => flow({ entry: question(asks).then(message(" is Pa")) }).asMod(), " is Paris."],
  [
    "a message with heal: false",
    () => flow({ entry: question(asks).then(message(" is Pa", { heal: false })) }).asMod(),
    " is Pax",
  ],
  ["a summary", () => flow({ entry: question(asks).then(summary(" is ")) }).asMod(), " is Paris."],
  [
    "a summary with heal: false",
    () => flow({ entry: question(asks).then(summary(" is ", { heal: false })) }).asMod(),
    " is x",
  ],
  [
    "the text of flow({ summary })",
    () => flow({ entry: question(asks).then(summary()), summary: () => " is Pa" }).asMod(),
    " is Paris.",
  ],
  [
    "a text before a question",
    () => {
      const second = question({ name: "second", prompt: " is ", responses: ["Paris"] });
      return flow({ entry: question(asks).then(second) }).asMod();
    },
    " is Paris.",
  ],
  [
    "a message that ends the request",
    () => flow({ entry: question(asks).then(message(" is ", { end: true })) }).asMod(),
    " is ",
  ],
  ["a completion", () => completion({}), "? yes is Paris."],
  ["a completion with heal: false", () => completion({ heal: false }), "? yes is x"],
])("%s", async (_, mod, text) => {
  expect(await textOf(mod())).toBe(text);
});

function completion(options: { readonly heal?: boolean }): Mod {
  const strategy = choices([" yes", " no"]);
  return selfPromptMod({ prompt: "?", strategy, completion: " is ", ...options });
}
