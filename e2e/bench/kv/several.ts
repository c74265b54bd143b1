/** Several texts in one KV cache: what is read of them again, and what is kept. In the page. */
import { KvCache } from "../../../src/core/decoder/kv-cache/kv-cache.ts";
import { someTokens } from "../../../src/core/decoder/ports/language-model.compare.ts";
import { inProcessMod } from "../../../src/core/decoder/testing/in-process-mod.ts";
import type { TokenId } from "../../../src/core/sdk/request.ts";
import { openBundle, type RunOutcome, runRequest, tokensOf, userSays } from "../decode/ours.ts";
import type { Subject } from "../decode/rival.ts";

export interface SeveralResult {
  /** Tokens computed until the first token, of each turn after the first of each chat; `new`: that were not read before. */
  readonly turns: readonly { readonly computed: number; readonly new: number }[];
  /** Milliseconds until the first token: of a chat that is read, and of the turns, the switch included. */
  readonly readMs: number;
  readonly turnMs: readonly number[];
  /** Tokens of the prompt computed by the first run of a comparison, and by all others together. */
  readonly comparison: { readonly first: number; readonly others: number };
  /** Most bytes that were kept, of many texts, over the budget. */
  readonly keptOverBudget: number;
  /** How often a text of those was still there when it was asked for again. */
  readonly keptTexts: number;
}

const chatTokens = 2000;
const turnTokens = 16;

export async function several(subject: Subject): Promise<SeveralResult> {
  const bundle = await openBundle(subject, "wasm");
  let budget = Number.POSITIVE_INFINITY;
  const kvCache = new KvCache(bundle.model, { prefixBudget: () => budget });
  const messages = userSays("several texts");
  const words = (count: number, seed: number) =>
    someTokens(bundle.model.vocabularySize - 8, count, seed).map((token) => token + 8);
  const request = (prompt: readonly TokenId[], maxTokens = 8) =>
    runRequest(bundle, { messages, prompt, maxTokens, kvCache });

  const chats = [words(chatTokens, 1), words(chatTokens, 2)];
  let readMs = Number.NaN;
  const turns: { computed: number; new: number }[] = [];
  const turnMs: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    for (const [which, chat] of chats.entries()) {
      const startMs = performance.now();
      const outcome = await request(chat);
      const first = firstToken(outcome);
      if (turn === 0) readMs = first.atMs - startMs;
      else {
        // The answer's last token was chosen and never read.
        turns.push({ computed: first.computed, new: turnTokens + 1 });
        turnMs.push(first.atMs - startMs);
      }
      chats[which] = [...chat, ...tokensOf(outcome), ...words(turnTokens, 10 + 2 * turn + which)];
    }
  }

  const prompt = words(chatTokens, 40);
  const runs: number[] = [];
  for (let run = 0; run < 8; run++) {
    const forced = { type: "forceTokens", tokens: words(4, 50 + run) } as const;
    const mod = inProcessMod("forces", { added: ({ step }) => (step === 2 ? forced : undefined) });
    const outcome = await runRequest(bundle, { messages, prompt, maxTokens: 24, kvCache, mods: [mod] });
    runs.push(firstToken(outcome).computed);
    // Something else that is asked of the model between two runs.
    await request(words(100, 60));
  }

  kvCache.prefixes?.free();
  const textTokens = 256;
  budget = 3.5 * (bundle.model.segments?.bytesOf(0, textTokens) ?? Number.NaN);
  let most = 0;
  let keptTexts = 0;
  for (let turn = 0; turn < 24; turn++) {
    const { computed } = firstToken(
      await request(words(textTokens, 70 + (turn % 12 < 6 ? turn % 3 : turn)), 4),
    );
    if (computed === 0) keptTexts += 1;
    most = Math.max(most, kvCache.prefixes?.bytes ?? 0);
  }
  await bundle.model.dispose();
  return {
    turns,
    readMs,
    turnMs,
    keptTexts,
    comparison: { first: runs[0] ?? 0, others: runs.slice(1).reduce((sum, count) => sum + count, 0) },
    keptOverBudget: most / budget,
  };
}

/** Tokens computed until the first token came, and when it came. */
function firstToken({ records }: RunOutcome): { computed: number; atMs: number } {
  const end = records.findIndex(({ record }) => record.type === "sampled");
  const passes = records.slice(0, end).map(({ record }) => record);
  const computed = passes.reduce(
    (sum, record) => sum + (record.type === "forwardPass" ? record.tokenCount : 0),
    0,
  );
  return { computed, atMs: records[end]?.atMs ?? Number.NaN };
}
