/** 50 recorded runs of the bundled model, each written to a file, read again and run again: are they the same, token for token? */
import { decodeTraceFile, encodeTraceFile } from "../../../src/core/trace/codec/codec.ts";
import { rerunDifference } from "../../../src/core/trace/compare/rerun-difference.ts";
import type { Trace } from "../../../src/core/trace/format/format.ts";
import { type BenchRow, exactly, figure } from "../machine.ts";
import { openStoryteller, type StorySettings, storyMod } from "../record-story.ts";

const runs = 50;

const mod = (name: string, body: string) => ({
  name,
  source: `import { mod } from "midtoken/mod";\n\nexport default mod({\n${body}\n});\n`,
});
const mods = [
  storyMod,
  mod(
    "unsure",
    "  forwardPass(event, actions) {\n    const [first, second] = event.topK(20);\n    if (second && first.logprob - second.logprob < 0.2) return actions.adjustLogits({ ban: [first.token] });\n  },",
  ),
  mod(
    "warm",
    "  forwardPass(event, actions) {\n    if (event.step % 9 === 4) return actions.adjustLogits({}, { temperature: 1.3 });\n  },",
  ),
  mod(
    "interrupts",
    '  added(event, actions) {\n    if (!event.forced && event.step % 25 === 24) return actions.backtrack(3, " and then");\n  },',
  ),
];
const prompts = [
  "Once upon a time",
  "The dog",
  "Lily and Tim went to the park.",
  "One day, a cat",
  "Mom said",
];

function settingsOf(number: number): StorySettings {
  return {
    // Every set of the four mods comes up.
    mods: mods.filter((_, place) => ((number >> place) & 1) === 1),
    prompt: prompts[number % prompts.length] as string,
    maxTokens: 40 + (number % 7) * 15,
    seed: 1000 + 37 * number,
    sampling: { temperature: [0, 0.7, 1, 1.2][number % 4] as number, topP: number % 3 === 0 ? 0.9 : 1 },
  };
}

/** The request of a record, made again. */
function settingsOfRecord({ records: [request] }: Trace): StorySettings {
  if (request?.type !== "request") throw new Error("The record does not begin with its request.");
  const { mods, maxTokens, seed, sampling, stop, messages } = request;
  return { mods, maxTokens, seed, sampling, stop, prompt: String(messages[0]?.content) };
}

export async function rerunRows(): Promise<BenchRow[]> {
  const first = await openStoryteller();
  const files: Uint8Array[] = [];
  for (let number = 0; number < runs; number += 1) {
    files.push(encodeTraceFile(await first.record(settingsOf(number))));
  }
  await first.dispose();
  // Another model, whose cache has seen nothing, and the runs in another order.
  const second = await openStoryteller();
  let same = 0;
  let tokens = 0;
  for (const file of files.reverse()) {
    const { trace } = decodeTraceFile(file);
    const again = await second.record(settingsOfRecord(trace));
    if (rerunDifference(trace.records, again.records) === null) same += 1;
    for (const record of trace.records) if (record.type === "added") tokens += record.tokens.length;
  }
  await second.dispose();
  return [
    figure("recorded runs, their tokens", tokens, "tokens"),
    exactly("run again on the same machine: token for token the same", same, "runs", runs),
  ];
}
