/** An answer is cut at every token, in every format: its complete calls stay, and a stream gives the same result. */
import { describe, expect, test } from "vitest";
import { defaultSampling } from "../../core/sdk/request.ts";
import type { Tokenizer } from "../../core/sdk/tokenizer.ts";
import { repositoryTokenizerData } from "../../core/tokenizer/testing/repository-tokenizers.ts";
import type { ToolFormat } from "../../core/tools/format.ts";
import { readPartialCalls } from "../../core/tools/partial-calls.ts";
import { recitingModel, renamedTokenizer, runRequestCase } from "../../core/tools/testing/answer.ts";
import { encodeSpecial, families } from "../../core/tools/testing/families.ts";
import { tools } from "../../core/tools/testing/tools.ts";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import { ToolCallStream } from "../../core/trace/text/call-stream.ts";
import { ReasoningStream } from "../../core/trace/text/reasoning-stream.ts";
import type {
  AnswerStreamEvent,
  TextStreamOptions,
  ToolCallReader,
} from "../../core/trace/text/text-stream-events.ts";
import { createChatCompletions } from "./completions.ts";
import { type AssembledChat, assembleChat } from "./testing/assemble-chat.ts";
import { scriptedStart } from "./testing/scripted-start.ts";

const calls = [
  { name: "get_weather", arguments: '{"city": "Oslo \\"é", "unit": "celsius"}' },
  { name: "stop", arguments: "{}" },
  {
    name: "set-lights",
    arguments: '{"on": true, "rooms": ["hall", "attic"], "where": {"dim": false, "level": 7}}',
  },
];

/** A reader like the one that the engine makes for the model's format. */
function readerOf({ name, markers }: ToolFormat, tokenizer: Tokenizer, hasText: boolean): ToolCallReader {
  const special = Array.from({ length: 64 }, (_, id) => id).filter((id) => {
    return tokenizer.tokenBytes(id).length === 0 && markers.includes(tokenizer.tokenText(id));
  });
  return {
    markers: Object.fromEntries(special.map((id) => [id, tokenizer.tokenText(id)])),
    read: (text, isOver) => readPartialCalls(text, { format: name, hasText, isRequired: !hasText }, isOver),
  };
}

function eventsOf(records: readonly TraceRecord[], options: TextStreamOptions): readonly AnswerStreamEvent[] {
  const stream = new ReasoningStream(options);
  return records.flatMap((record) => stream.push(record));
}

/** The records of a request with this limit of tokens. */
function cutAt(records: readonly TraceRecord[], limit: number): readonly TraceRecord[] {
  const kept: TraceRecord[] = [];
  let text = "";
  let count = 0;
  for (const record of records) {
    if (count >= limit && record.type === "added") break;
    if (record.type === "finished") break;
    if (record.type !== "added") {
      kept.push(record);
      continue;
    }
    const tokens = record.tokens.slice(0, limit - count);
    kept.push({ ...record, tokens, isEos: record.isEos && tokens.length === record.tokens.length });
    count += tokens.length;
    text += tokens.map((token) => token.text).join("");
  }
  const last = records.at(-1);
  if (last?.type !== "finished") throw new Error("The records have no end.");
  return [...kept, { ...last, reason: "length", lengthLimit: "maxTokens", text, toolCalls: [] }];
}

const request = { model: "m", messages: [{ role: "user", content: "Rain?" }] } as const;

async function whole(events: readonly AnswerStreamEvent[]): Promise<AssembledChat> {
  const { choices } = await createChatCompletions(scriptedStart([events]).start).create(request);
  const { message, finish_reason } = choices[0] ?? {};
  return {
    content: message?.content || null,
    calls: message?.tool_calls ?? [],
    finish_reason,
    midtoken: message?.midtoken,
  };
}

async function streamed(events: readonly AnswerStreamEvent[]): Promise<AssembledChat> {
  const chat = createChatCompletions(scriptedStart([events]).start);
  return assembleChat(await chat.create({ ...request, stream: true }));
}

describe.each(families)("$format.name", ({ format, renamed }) => {
  const tokenizer = renamedTokenizer(repositoryTokenizerData("smollm2-135m"), renamed);
  const prompt = tokenizer.encode("Rain?");
  const leads = format.name === "llama3" || format.name === "plain";
  const said = `${leads ? "" : "I look, [1] < 2.\n"}${format.write(calls)}`;
  const wish = encodeSpecial(tokenizer, said, format.markers);
  const ask = (maxTokens: number, more: { toolChoice?: unknown; stop?: string[] } = {}) =>
    runRequestCase({
      model: recitingModel(tokenizer, prompt.length, wish),
      tokenizer,
      format,
      tools,
      prompt,
      ...("toolChoice" in more && { toolChoice: more.toolChoice }),
      request: { sampling: { ...defaultSampling, temperature: 0 }, maxTokens, stop: more.stop ?? [] },
    });
  let answer: ReturnType<typeof ask> | null = null;
  /** The whole answer, computed once for all tests. */
  const askOnce = () => {
    answer ??= ask(600);
    return answer;
  };

  test("cut at every token, streamed and not", async () => {
    const full = await askOnce();
    const ended = full.finished.toolCalls;
    expect(ended.slice(0, 3).map((call) => call.function.name)).toEqual(calls.map(({ name }) => name));
    const reader = readerOf(format, tokenizer, true);
    let mostKept = 0;
    for (let limit = 0; limit <= full.tokens.length; limit++) {
      const records = cutAt(full.records, limit);
      const unstreamed = await whole(
        eventsOf(records, { holdback: "all", retract: true, calls: new ToolCallStream(reader) }),
      );
      for (const holdback of [0, 2, "all"] as const)
        expect(await streamed(eventsOf(records, { holdback, calls: new ToolCallStream(reader) }))).toEqual(
          unstreamed,
        );
      expect(unstreamed.finish_reason).toBe("length");
      const cut = unstreamed.midtoken?.cut_tool_call ?? null;
      for (const [place, call] of unstreamed.calls.entries()) {
        const { id, function: called } = ended[place] ?? {};
        expect([call.id, call.function.name]).toEqual([id, called?.name]);
        if (place === cut) expect(called?.arguments.startsWith(call.function.arguments)).toBe(true);
        else expect(call.function.arguments).toBe(called?.arguments);
      }
      if (cut !== null) expect(cut).toBeGreaterThanOrEqual(unstreamed.calls.length - 1);
      const kept = unstreamed.calls.length - (cut !== null && cut < unstreamed.calls.length ? 1 : 0);
      expect(kept).toBeGreaterThanOrEqual(mostKept);
      mostKept = kept;
      if (unstreamed.calls.length > 0) expect(unstreamed.content).toBe(leads ? null : "I look, [1] < 2.");
    }
    expect(mostKept).toBe(ended.length);
  });

  test("the loop's own records of a limited request are read the same way", async () => {
    const reader = readerOf(format, tokenizer, true);
    const full = await askOnce();
    for (const limit of [30, 45]) {
      const events = eventsOf((await ask(limit)).records, {
        holdback: "all",
        retract: true,
        calls: new ToolCallStream(reader),
      });
      const cut = eventsOf(cutAt(full.records, limit), { holdback: 0, calls: new ToolCallStream(reader) });
      expect(await streamed(cut)).toEqual(await whole(events));
    }
  });

  test("arguments come in several fragments, and before the answer has ended", async () => {
    const { records, finished } = await askOnce();
    const events = eventsOf(records.slice(0, -1), {
      holdback: 0,
      calls: new ToolCallStream(readerOf(format, tokenizer, true)),
    });
    expect(events.filter(({ type }) => type === "call")).toHaveLength(finished.toolCalls.length);
    expect(events.filter(({ type }) => type === "callArguments").length).toBeGreaterThan(8);
  });

  test("a required call, cut at every token", async () => {
    const full = await ask(600, { toolChoice: "required" });
    const reader = readerOf(format, tokenizer, false);
    for (let limit = 0; limit <= full.tokens.length; limit++) {
      const records = cutAt(full.records, limit);
      const unstreamed = await whole(
        eventsOf(records, { holdback: "all", retract: true, calls: new ToolCallStream(reader) }),
      );
      expect(await streamed(eventsOf(records, { holdback: 0, calls: new ToolCallStream(reader) }))).toEqual(
        unstreamed,
      );
      // No part of a required call becomes content, and no part is lost.
      expect(unstreamed.content).toBe(null);
      const { calls: begun, midtoken } = unstreamed;
      if (limit > 0 && begun.length === 0) expect(midtoken?.cut_tool_call).toBe(0);
    }
  });

  test("a stop sequence that comes in the second call leaves the first one whole", async () => {
    const { records, finished } = await ask(600, { stop: ["attic"] });
    const reader = readerOf(format, tokenizer, true);
    expect(finished.reason).toBe("stop");
    const unstreamed = await whole(
      eventsOf(records, { holdback: "all", retract: true, calls: new ToolCallStream(reader) }),
    );
    expect(unstreamed).toMatchObject({ finish_reason: "stop", midtoken: { cut_tool_call: 2 } });
    expect(unstreamed.calls[0]?.function.name).toBe("get_weather");
    expect(await streamed(eventsOf(records, { holdback: 0, calls: new ToolCallStream(reader) }))).toEqual(
      unstreamed,
    );
  });
});
