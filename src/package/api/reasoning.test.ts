/** Models that think before they answer, through OpenAI's calls. */
import { afterEach, describe, expect, test } from "vitest";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createTestEngine } from "../testing/test-engine.ts";
import type { MidtokenEngine } from "./midtoken-engine.ts";
import { readChatRequest } from "./read-chat-request.ts";

const engines: MidtokenEngine[] = [];
afterEach(() => {
  for (const engine of engines.splice(0)) engine.dispose();
});

const script = ["<think>", "\n", "So", " it", " is", ".", "\n", "</think>", "\n\n", "Yes", "."];
const messages = [{ role: "user", content: "Is it?" }] as const;
const asked = { model: "scripted", messages, temperature: 0 };

async function thinker() {
  const engine = await createTestEngine({ models: createScriptedModel({ script }) });
  engines.push(engine);
  return engine;
}

describe("a model that thinks first", () => {
  test("whole: its reasoning stands beside its answer", async () => {
    const engine = await thinker();
    const { choices } = await engine.chat.completions.create(asked);
    expect(choices[0]?.message).toEqual({
      role: "assistant",
      content: "Yes.",
      refusal: null,
      reasoning_content: "So it is.",
    });
  });

  test("usage says how many tokens are reasoning, in chat and in responses", async () => {
    const engine = await thinker();
    const reasoning = script.indexOf("Yes");
    const { usage } = await engine.chat.completions.create(asked);
    expect(usage.completion_tokens_details).toEqual({ reasoning_tokens: reasoning });
    const response = await engine.responses.create({ model: "scripted", input: "Is it?", stream: false });
    expect(response.usage?.output_tokens_details).toEqual({ reasoning_tokens: reasoning });
    expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    const cut = await engine.chat.completions.create({ ...asked, max_tokens: 3 });
    expect(cut.usage).toMatchObject({
      completion_tokens: 3,
      completion_tokens_details: { reasoning_tokens: 3 },
    });
  });

  test("in pieces: the reasoning first, then the answer", async () => {
    const engine = await thinker();
    const pieces: string[][] = [];
    for await (const { choices } of await engine.chat.completions.create({ ...asked, stream: true })) {
      const { reasoning_content: thought, content } = choices[0]?.delta ?? {};
      if (thought) pieces.push(["reasoning", thought]);
      if (content) pieces.push(["content", content]);
    }
    expect(pieces.map(([kind]) => kind)).toEqual(
      [..."rrrr", ..."cc"].map((kind) => (kind === "r" ? "reasoning" : "content")),
    );
    expect(pieces.map(([, text]) => text).join("")).toBe("So it is.Yes.");
  });

  test("log-probabilities are the answer's", async () => {
    const engine = await thinker();
    const { choices } = await engine.chat.completions.create({ ...asked, logprobs: true });
    expect(choices[0]?.logprobs?.content?.map(({ token }) => token)).toEqual(["Yes", "."]);
  });

  test("a required format holds once it has thought", async () => {
    const json = ["<think>", "Hm", "</think>", "\n", '{"a": 1}'];
    const engine = await createTestEngine({ models: createScriptedModel({ script: json }) });
    engines.push(engine);
    const response_format = { type: "json_object" } as const;
    const { choices } = await engine.chat.completions.create({ ...asked, response_format });
    expect(choices[0]?.message).toMatchObject({ content: '{"a": 1}', reasoning_content: "Hm" });
  });

  test("thinking that cannot be turned off, or that is not there, is refused with its field", async () => {
    const engine = await thinker();
    const off = engine.chat.completions.create({
      ...asked,
      chat_template_kwargs: { enable_thinking: false },
    });
    await expect(off).rejects.toMatchObject({ status: 400, param: "thinking" });
    await expect(off).rejects.toThrow("cannot switch thinking off: leave the field out");
    const plain = await createTestEngine({ models: createScriptedModel({ script: "Yes." }) });
    engines.push(plain);
    const on = plain.chat.completions.create({ ...asked, chat_template_kwargs: { enable_thinking: true } });
    await expect(on).rejects.toThrow(
      "this model's chat template does not support thinking: leave the field out",
    );
    // Turning reasoning off is allowed for a model that does not reason.
    const none = await plain.chat.completions.create({ ...asked, reasoning_effort: "none" });
    expect(none.choices[0]?.message).toEqual({ role: "assistant", content: "Yes.", refusal: null });
  });
});

describe("the body", () => {
  const read = (body: object) => readChatRequest({ model: "m", messages, ...body }).requests[0]?.request;

  test("the switch in the ways of other servers", () => {
    expect(read({})).not.toHaveProperty("thinking");
    expect(read({ chat_template_kwargs: { enable_thinking: true } })?.thinking).toBe(true);
    expect(read({ chat_template_kwargs: { thinking: false } })?.thinking).toBe(false);
    expect(read({ reasoning_effort: "none" })?.thinking).toBe(false);
    expect(() => read({ chat_template_kwargs: { add_dates: true } })).toThrow(
      "chat_template_kwargs.add_dates",
    );
  });

  test("earlier reasoning goes back as models write it", () => {
    const earlier = { role: "assistant", content: "Yes.", reasoning_content: "So it is." };
    expect(read({ messages: [...messages, earlier, ...messages] })?.messages[1]).toEqual({
      role: "assistant",
      content: "<think>\nSo it is.\n</think>\n\nYes.",
    });
  });
});
