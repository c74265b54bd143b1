import { expect, test } from "vitest";
import { openStoryteller } from "../e2e/bench/record-story.ts";

/** Two mods that are asked at once, each of which says what it saw a moment later. */
const talkative = (name: string) => ({
  name,
  source: `import { mod } from "midtoken/mod";

export default mod({
  async sampled(event) {
    await Promise.resolve();
    if (event.step < 3) console.log("${name}", event.step);
  },
});
`,
});

test("a recorded console holds what its own mod wrote, and nothing else that is written meanwhile or later", async () => {
  const storyteller = await openStoryteller();
  const { log } = console;
  const own: unknown[] = [];
  console.log = (line: unknown) => own.push(line);
  try {
    const mods = [talkative("one"), talkative("two")];
    const { records } = await storyteller.record({ mods, maxTokens: 5 });
    console.log("the script's own line");
    const lines = records.flatMap((record) =>
      record.type === "modCall" ? record.console.map(({ text }) => `mod ${record.mod}: ${text}`) : [],
    );
    expect(lines).toEqual([0, 1, 2].flatMap((step) => [`mod 0: one ${step}`, `mod 1: two ${step}`]));
    expect(own).toEqual(["the script's own line"]);
  } finally {
    console.log = log;
    await storyteller.dispose();
  }
});
