/** When the pass after the most likely token may begin before the token is asked for. */
import { expect, test } from "vitest";
import type { Action } from "../../sdk/action.ts";
import { defaultSampling } from "../../sdk/request.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { LoopEvent, ModHost } from "../ports/mod-host.ts";
import { alphabetLogits, byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { createSimulatedDevice, withLogitsOn } from "../testing/computed-logits.ts";
import { runDecode } from "../testing/run-decode.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { TopTokenStreak } from "./top-token-guess.ts";

/** For each token taken, whether the one after it is expected. `+`: the most likely was taken, `-`: another one. */
function expectations(taken: string): string {
  const mostLikely = new TopTokenStreak();
  return [...taken]
    .map((kind) => {
      mostLikely.note(kind === "+");
      return mostLikely.expect() ? "x" : ".";
    })
    .join("");
}

test("it is believed at first, and after a miss once four in a row were the most likely", () => {
  expect(expectations("+++")).toBe("xxx");
  expect(expectations("-++++")).toBe("....x");
});

test("each pass that is lost doubles the row that is needed, up to 32; a long row makes it four again", () => {
  const row = (length: number) => "+".repeat(length);
  // The miss after an expected token is a lost pass; the second miss lost nothing.
  expect(expectations(`+--${row(8)}`)).toBe(`x..${".".repeat(7)}x`);
  const lost = `+-${row(8)}-${row(16)}-${row(32)}-`;
  const most = expectations(`${lost}${row(32)}`).slice(-32);
  expect(most).toBe(`${".".repeat(31)}x`);
  expect(expectations(`${lost}${row(33)}-${row(8)}`).slice(-8)).toBe(".......x");
});

/** The passes of a request for which the model was told to expect the most likely token, by the token that they read. */
async function caughtUp(options: Parameters<typeof runDecode>[0], capacity = 4096): Promise<string> {
  const device = createSimulatedDevice({ fewest: 16, most: 257, pieceTokens: 64 });
  const model = withLogitsOn(
    device,
    scriptedModel({ vocabularySize: 257, endOfSequence: [END], logits: alphabetLogits, capacity }),
  );
  const { forwardRows } = model;
  const read: number[] = [];
  model.forwardRows = (tokens, rows, temperature, next) => {
    if (next === "mostLikely") read.push(...tokens);
    return forwardRows(tokens, rows, temperature);
  };
  await runDecode({ ...options, kvCache: new KvCache(model) });
  return byteTokenizer.decode(read);
}

const greedy = { maxTokens: 6 };

test("each token of a greedy request is read with the next one expected, but the prompt and the last that is read", async () => {
  expect(await caughtUp({ request: greedy })).toBe("efgh");
  expect(await caughtUp({ request: { maxTokens: 100 } }, 10)).toBe("efghi");
});

test("nothing is expected where tokens are drawn, nor of forced spans, nor while another token is taken", async () => {
  const sampling = { ...defaultSampling, temperature: 1 };
  expect(await caughtUp({ request: { ...greedy, sampling } })).toBe("");
  const force = reading(() => ({ type: "forceTokens", tokens: byteTokenizer.encode("xyz") }));
  expect(await caughtUp({ mods: [force], request: { maxTokens: 9 } })).toBe("");
  const ban = reading(({ top }) => ({ type: "adjustLogits", logits: { ban: [...(top?.(1).tokens ?? [])] } }));
  expect(await caughtUp({ mods: [ban], request: { maxTokens: 9 } })).toBe("");
  const silent = reading(() => ({ type: "noop" }));
  expect(await caughtUp({ mods: [silent], request: greedy })).toBe("efgh");
});

/** A mod that reads the most likely token of each step, so that rows stay on the device. */
function reading(answer: (event: Extract<LoopEvent, { type: "forwardPass" }>) => Action): ModHost {
  return {
    name: "reading",
    handles: new Set(["forwardPass"]),
    needs: { topK: 1, logits: false },
    ask: async (event) => ({
      action: event.type === "forwardPass" ? answer(event) : { type: "noop" },
      fault: null,
      console: [],
    }),
    dispose() {},
  };
}
