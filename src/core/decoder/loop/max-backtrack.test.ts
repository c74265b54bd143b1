/** A mod that declares `maxBacktrack` cannot remove what a stream may have sent. */
import { expect, test } from "vitest";
import type { FinishedRecord, ModCallRecord, TraceRecord } from "../../trace/format/format.ts";
import { byteTokenizer } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { runDecode } from "../testing/run-decode.ts";

const { encode } = byteTokenizer;
const back = (count: number, text = "") => ({ type: "backtrack", count, tokens: encode(text) });
/** At the n-th token that was sampled. */
const atSampled = (place: number, action: unknown): Handlers => {
  let sampled = 0;
  return {
    added({ source }) {
      if (source !== "sampled") return;
      sampled += 1;
      if (sampled === place) return action;
    },
  };
};

async function run(maxBacktrack: number, ...handlers: Handlers[]) {
  const hosts = handlers.map((each, place) => ({
    ...inProcessMod(`mod${place}`, each),
    needs: { topK: 0, logits: true, maxBacktrack },
  }));
  const { records } = await runDecode({ mods: hosts, request: { maxTokens: 6 } });
  const faults = records.filter(
    (each): each is ModCallRecord => each.type === "modCall" && each.fault !== null,
  );
  return { text: endOf(records).text, fault: faults[0]?.fault?.message, request: records[0] };
}

function endOf(records: readonly TraceRecord[]): FinishedRecord {
  const last = records.at(-1);
  if (last?.type !== "finished") throw new Error("The request has no end.");
  return last;
}

test("as many tokens as declared may be removed; the record has the number", async () => {
  const { text, fault, request } = await run(2, atSampled(3, back(2, "x")));
  expect(fault).toBeUndefined();
  expect(text.startsWith("ex")).toBe(true);
  expect(request).toMatchObject({ mods: [{ name: "mod0", maxBacktrack: 2 }] });
});

test("one more is a fault that says what to declare", async () => {
  const { fault } = await run(2, atSampled(3, back(3)));
  expect(fault).toContain(
    "count is 3, but the mod declared maxBacktrack: 2, so the first 1 of 3 output tokens can no longer be removed: declare a larger maxBacktrack, or leave maxBacktrack out.",
  );
});

test("removing again and again reaches no further than the declared number before the longest output", async () => {
  const twice: Handlers = {
    added: ({ step }) => (step === 4 ? back(2) : undefined),
    backtracked: () => undefined,
  };
  const again = inProcessMod("again", {
    ...twice,
    forwardPass: ({ step }) => (step === 2 ? back(1) : undefined),
  });
  let passes = 0;
  const host = {
    ...again,
    needs: { topK: 0, logits: true, maxBacktrack: 2 },
    ask: (event: Parameters<typeof again.ask>[0]) => {
      // The first pass of step 2 comes before the removal.
      if (event.type === "forwardPass" && event.step === 2 && passes++ === 0)
        return Promise.resolve({ action: { type: "noop" as const }, fault: null, console: [] });
      return again.ask(event);
    },
  };
  const { records } = await runDecode({ mods: [host], request: { maxTokens: 6 } });
  expect(endOf(records).error?.message).toContain(
    "so the first 2 of 2 output tokens can no longer be removed",
  );
});

test("hidden tokens do not count", async () => {
  const hidden: Handlers = {
    forwardPass: ({ step, hidden }) =>
      step === 2 && !hidden ? { type: "forceTokens", tokens: encode("question"), hidden: true } : undefined,
    added: ({ hidden, source, emitted }) =>
      hidden && source === "sampled" ? back(emitted.length - 2, "y") : undefined,
  };
  const { fault, text } = await run(0, hidden);
  expect(fault).toBeUndefined();
  expect(text.startsWith("efy")).toBe(true);
});

test("a whole output has to begin with the text that stays, and tool calls have to come before any stays", async () => {
  const output = (text: string) => ({ type: "forceOutput", tokens: encode(text) });
  expect(await run(1, atSampled(3, output("efz")))).toMatchObject({ text: "efz", fault: undefined });
  expect((await run(1, atSampled(3, output("exz")))).fault).toContain(
    'it would remove "f", but the mod declared maxBacktrack: 1',
  );
  const calls = { type: "toolCalls", calls: [{ name: "f" }] };
  expect((await run(4, atSampled(3, calls))).fault).toBeUndefined();
  expect((await run(1, atSampled(3, calls))).fault).toContain('it would remove "ef"');
});
