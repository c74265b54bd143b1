/** Cases of the suite of OpenAI's client: answers, streams, sampling, log-probabilities, plain completions, mods. */
import type { SuiteCase } from "./suite-case.ts";
import { assertEqualJson, check, collectValues } from "./suite-check.ts";

const messages = [{ role: "user" as const, content: "Once upon a time" }];
const greedy = { messages, temperature: 0, max_tokens: 12 };
const story = ", there was a little girl named Lily.";

export const answerCases: readonly SuiteCase[] = [
  {
    name: "models: list and retrieve, with their mods",
    async run({ client, model, mods }) {
      const ids = (await collectValues(client.models.list())).map(({ id }) => id);
      check(
        ids.includes(model) && ids.includes(`${model}/${mods.noLily}`),
        `${model} and its mods in the list`,
      );
      assertEqualJson((await client.models.retrieve(model)).id, model, "the model's id");
    },
  },
  {
    name: "chat: an answer with its usage",
    async run({ client, model }) {
      const answer = await client.chat.completions.create({ ...greedy, model });
      const [choice] = answer.choices;
      check(choice?.message.content?.startsWith(", there was a") === true, "the story's beginning");
      assertEqualJson(
        [choice?.finish_reason, choice?.message.role],
        ["length", "assistant"],
        "reason and role",
      );
      const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = answer.usage ?? {};
      assertEqualJson([completion_tokens, total_tokens], [12, prompt_tokens + 12], "the usage");
      check(prompt_tokens > 1, "tokens of the prompt");
      check(answer._request_id?.startsWith("request-") === true, "the id of the request");
      assertEqualJson([answer.object, answer.model], ["chat.completion", model], "object and model");
    },
  },
  {
    name: "chat: a stream is the same answer in pieces, with its usage at the end",
    async run({ client, model }) {
      const whole = await client.chat.completions.create({ ...greedy, model });
      const chunks = await collectValues(
        await client.chat.completions.create({
          ...greedy,
          model,
          stream: true,
          stream_options: { include_usage: true },
        }),
      );
      const pieces = chunks.map(({ choices }) => choices[0]?.delta.content ?? "");
      assertEqualJson(pieces.join(""), whole.choices[0]?.message.content, "the text");
      check(pieces.filter((piece) => piece !== "").length > 6, "several pieces");
      assertEqualJson(chunks[0]?.choices[0]?.delta.role, "assistant", "the role in the first piece");
      assertEqualJson(
        chunks.at(-2)?.choices[0]?.finish_reason,
        "length",
        "the reason in the last piece but one",
      );
      assertEqualJson(chunks.at(-1)?.usage?.completion_tokens, 12, "the usage in the last piece");
    },
  },
  {
    name: "chat: the client's own collecting of a stream",
    async run({ client, model }) {
      const stream = client.chat.completions.stream({ ...greedy, model });
      let text = "";
      stream.on("content", (delta) => {
        text += delta;
      });
      const answer = await stream.finalChatCompletion();
      assertEqualJson(text, answer.choices[0]?.message.content, "the collected text");
      check(text.startsWith(", there was a"), "the story's beginning");
    },
  },
  {
    name: "chat: several choices, each as with its own seed",
    async run({ client, model }) {
      const request = { ...greedy, model, temperature: 1, max_tokens: 24, seed: 5 };
      const texts = async (n: number, seed: number) =>
        (await client.chat.completions.create({ ...request, n, seed })).choices.map(
          ({ index, message }) => `${index}: ${message.content}`,
        );
      const three = await texts(3, 5);
      assertEqualJson(three.length, 3, "the number of choices");
      check(new Set(three.map((text) => text.slice(3))).size > 1, "choices that differ");
      assertEqualJson((await texts(1, 6))[0]?.slice(3), three[1]?.slice(3), "the choice with the next seed");
      const streamed = ["0: ", "1: ", "2: "];
      for await (const chunk of await client.chat.completions.create({ ...request, n: 3, stream: true })) {
        for (const { index, delta } of chunk.choices) streamed[index] += delta.content ?? "";
      }
      assertEqualJson(streamed, three, "the streamed choices");
    },
  },
  {
    name: "chat: a seed repeats an answer, another gives another",
    async run({ client, model }) {
      const text = async (seed: number) => {
        const request = { ...greedy, model, temperature: 1.2, max_tokens: 40, seed };
        return (await client.chat.completions.create(request)).choices[0]?.message.content;
      };
      const first = await text(1);
      assertEqualJson(await text(1), first, "the same seed's answer");
      check((await text(2)) !== first, "another answer with another seed");
    },
  },
  {
    name: "chat: a stop sequence ends the answer and is not in it, streamed too",
    async run({ client, model }) {
      const request = { ...greedy, model, max_tokens: 40, stop: ["Lily", "zebra"] };
      const { choices } = await client.chat.completions.create(request);
      assertEqualJson(
        [choices[0]?.message.content, choices[0]?.finish_reason],
        [story.slice(0, -5), "stop"],
        "the answer",
      );
      const chunks = await collectValues(await client.chat.completions.create({ ...request, stream: true }));
      const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
      assertEqualJson(text, story.slice(0, -5), "the streamed text");
    },
  },
  {
    name: "chat: logit_bias takes a token away, or makes it the only one",
    async run({ client, model }) {
      const only = await client.chat.completions.create({ ...greedy, model, logit_bias: { 261: 100 } });
      const text = only.choices[0]?.message.content ?? "";
      const piece = text.slice(0, text.length / 12);
      assertEqualJson(text, piece.repeat(12), "one token, over and over");
      const banned = await client.chat.completions.create({ ...greedy, model, logit_bias: { 432: -100 } });
      check(banned.choices[0]?.message.content?.startsWith(",") === false, "no comma at the beginning");
    },
  },
  {
    name: "chat: log-probabilities of the tokens and of the most likely, streamed too",
    async run({ client, model }) {
      const request = { ...greedy, model, logprobs: true, top_logprobs: 3 };
      const { choices } = await client.chat.completions.create(request);
      const tokens = choices[0]?.logprobs?.content ?? [];
      assertEqualJson(tokens.length, 12, "the number of tokens");
      assertEqualJson(
        tokens.map(({ token }) => token).join(""),
        choices[0]?.message.content,
        "the tokens' text",
      );
      for (const { token, logprob, bytes, top_logprobs: top } of tokens) {
        assertEqualJson(bytes, [...new TextEncoder().encode(token)], "the token's bytes");
        assertEqualJson(
          [top.length, top[0]?.token],
          [3, token],
          "the most likely token, which greedy sampling takes",
        );
        check(logprob <= 0 && Math.abs(logprob - (top[0]?.logprob ?? 1)) < 1e-6, "its log-probability");
        check((top[1]?.logprob ?? 1) <= (top[0]?.logprob ?? 0), "falling log-probabilities");
      }
      const chunks = await collectValues(await client.chat.completions.create({ ...request, stream: true }));
      const streamed = chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? []);
      assertEqualJson(streamed, tokens, "the streamed log-probabilities");
    },
  },
  {
    name: "chat: without a limit an answer goes on to the end of the context",
    async run({ client, model }) {
      const stop = ["zebra"];
      const answer = await client.chat.completions.create({ model, messages, temperature: 0, stop });
      check((answer.usage?.completion_tokens ?? 0) > 100, "more than a hundred tokens");
    },
  },
  {
    name: "chat: roles and parts of a conversation, and fields that change nothing",
    async run({ client, model }) {
      const answer = await client.chat.completions.create({
        model,
        max_completion_tokens: 2,
        store: false,
        metadata: { a: "b" },
        user: "Ada",
        service_tier: "auto",
        presence_penalty: 0.5,
        frequency_penalty: 0.5,
        top_p: 0.9,
        messages: [
          { role: "developer", content: "Once upon" },
          { role: "user", content: [{ type: "text", text: " a" }] },
          { role: "assistant", content: " time", refusal: null },
        ],
      });
      assertEqualJson(answer.usage?.completion_tokens, 2, "the tokens of the answer");
    },
  },
  {
    name: "completions: a text goes on, with its prompt in front where it is asked for",
    async run({ client, model }) {
      const request = { model, prompt: "Once upon a time", temperature: 0, max_tokens: 12 };
      const plain = (await client.completions.create(request)).choices[0];
      check(plain?.text.startsWith(", there was a") === true, "the story's beginning");
      assertEqualJson(plain?.finish_reason, "length", "the reason");
      const echoed = await client.completions.create({ ...request, echo: true });
      assertEqualJson(echoed.choices[0]?.text, `Once upon a time${plain?.text}`, "the text with its prompt");
      let text = "";
      for await (const { choices } of await client.completions.create({ ...request, stream: true })) {
        text += choices[0]?.text ?? "";
      }
      assertEqualJson(text, plain?.text, "the streamed text");
    },
  },
  {
    name: "completions: several prompts and choices, with log-probabilities",
    async run({ client, model }) {
      const answer = await client.completions.create({
        model,
        prompt: ["Once upon a time", "The cat"],
        n: 2,
        max_tokens: 4,
        logprobs: 2,
        seed: 1,
      });
      assertEqualJson(
        answer.choices.map(({ index }) => index),
        [0, 1, 2, 3],
        "the choices",
      );
      for (const { text, logprobs } of answer.choices) {
        assertEqualJson(logprobs?.tokens?.join(""), text, "the tokens' text");
        assertEqualJson(
          logprobs?.top_logprobs?.map((top) => Object.keys(top).length <= 2),
          [true, true, true, true],
          "top",
        );
      }
      assertEqualJson(answer.usage?.completion_tokens, 16, "the tokens of all answers");
    },
  },
  {
    name: "mods: in the model string; a stream holds back what they may take back, or says it",
    async run({ client, model, mods }) {
      const request = { ...greedy, max_tokens: 30 };
      const kept = await client.chat.completions.create({ ...request, model: `${model}/${mods.noLily}` });
      check(kept.choices[0]?.message.content?.includes("Lily") === false, "no Lily");
      const both = `${model}/${mods.noLily},${mods.removesText}`;
      const whole = (await client.chat.completions.create({ ...request, model: both })).choices[0]?.message
        .content;
      check(whole?.includes(" dragon") === true, "a dragon");
      let held = "";
      for await (const { choices } of await client.chat.completions.create({
        ...request,
        model: both,
        stream: true,
      })) {
        held += choices[0]?.delta.content ?? "";
      }
      assertEqualJson(held, whole, "the text that was held back");
      let mended = "";
      let retractions = 0;
      // A field that OpenAI's types do not contain.
      const own = { midtoken: { retract: true } };
      const stream = await client.chat.completions.create({ ...request, model: both, stream: true, ...own });
      for await (const { choices } of stream) {
        const delta = choices[0]?.delta as { content?: string; midtoken?: { retract: number } } | undefined;
        if (delta?.midtoken) {
          mended = mended.slice(0, -delta.midtoken.retract);
          retractions += 1;
        }
        mended += delta?.content ?? "";
      }
      assertEqualJson([mended, retractions > 0], [whole, true], "the text that was mended");
    },
  },
];
