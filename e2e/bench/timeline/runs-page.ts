/** The page's side of the bench of kept runs: `runsBench` on the window. */

import { seededRandom } from "../../../src/core/trace/testing/sample-trace.ts";
import { story } from "../../../src/core/trace/testing/story-text.ts";
import { createRunRepository } from "../../../src/page/runs/repository.ts";
import { runWith } from "../../../src/page/runs/testing/some-runs.ts";

export interface RunsBench {
  fill(count: number): Promise<{ readonly characters: number; readonly keepMs: number }>;
  list(): Promise<Timed>;
  search(query: string): Promise<Timed & { readonly longestTask: number }>;
}

interface Timed {
  readonly ms: number;
  readonly count: number;
}

declare global {
  var runsBench: RunsBench;
}

const runs = createRunRepository("midtoken.bench.runs");
const sentences = story.slice(2).split(/(?<=[.!?"]) /);

/** Sentences of the story in any order, until the text has so many characters; then the story's three names. */
function text(random: () => number, length: number): string {
  let made = "";
  while (made.length < length) made += `${sentences[Math.floor(random() * sentences.length)]} `;
  return `${made}The kite of Sam, and a bird.`;
}

async function timed(act: () => Promise<number>): Promise<Timed> {
  const start = performance.now();
  const count = await act();
  return { ms: performance.now() - start, count };
}

globalThis.runsBench = {
  async fill(count) {
    const random = seededRandom(1);
    let characters = 0;
    const start = performance.now();
    for (let at = 0; at < count; at += 1) {
      const prompt = text(random, 80 + random() * 320);
      const output = text(random, 400 + random() * 3_200) + (at === 1_234 ? " needle" : "");
      characters += prompt.length + output.length;
      const id = `${(1_700_000_000_000 + at).toString(36)}-${at}`;
      const bytes = crypto.getRandomValues(new Uint8Array(12_000));
      const { metadata, texts } = runWith(
        id,
        { prompt, output },
        {
          when: 1_700_000_000_000 + at,
          mods: ["swap-name", "plot-twist"],
          prompt: prompt.slice(0, 160),
          output: output.slice(0, 160),
          tags: at % 7 === 0 ? ["dragons"] : [],
        },
      );
      await runs.save({ metadata, texts, bytes });
    }
    return { characters, keepMs: (performance.now() - start) / count };
  },
  list: () => timed(async () => (await runs.list()).length),
  async search(query) {
    let longestTask = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
    }).observe({ type: "longtask" });
    const all = await runs.list();
    const found = await timed(async () => (await runs.search(query, all)).size);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { ...found, longestTask };
  },
};
