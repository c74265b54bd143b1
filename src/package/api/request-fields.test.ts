/** Each call reads exactly the fields that the table of request fields lists for it, and docs/http.md names them. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type MidtokenNamesOf, type OuterNamesOf, requestFields } from "../../core/base/request-fields.ts";
import { type SamplingField, samplingNumbers } from "../../core/base/sampling.ts";
import { ApiError } from "./api-error.ts";
import type { ChatCompletionRequest, RequestExtension } from "./chat-completion.ts";
import { readChatRequest } from "./read-chat-request.ts";
import { readTextRequest } from "./read-text-request.ts";
import { readResponseRequest } from "./responses/read-request.ts";
import type { ResponseRequest } from "./responses/request-types.ts";
import { ResponseStore } from "./responses/response-store.ts";
import { MemoryStore } from "./store/memory-store.ts";
import type { TextCompletionRequest } from "./text-completion.ts";

// The request's type has every field of its column: the compiler's error would show a missing name.
({}) satisfies Record<Exclude<OuterNamesOf<"chat">, keyof ChatCompletionRequest>, never>;
({}) satisfies Record<Exclude<OuterNamesOf<"text">, keyof TextCompletionRequest>, never>;
({}) satisfies Record<Exclude<OuterNamesOf<"responses">, keyof ResponseRequest>, never>;
({}) satisfies Record<Exclude<MidtokenNamesOf<"chat" | "text" | "responses">, keyof RequestExtension>, never>;
({}) satisfies Record<Exclude<SamplingField, keyof ChatCompletionRequest>, never>;
({}) satisfies Record<Exclude<SamplingField, keyof TextCompletionRequest>, never>;
({}) satisfies Record<Exclude<SamplingField, keyof ResponseRequest>, never>;

const messages = [{ role: "user", content: "Hello" }];
const earlier = await new ResponseStore(new MemoryStore()).earlierOf({});
const calls = {
  chat: (fields: object) => readChatRequest({ model: "m", messages, ...fields }),
  text: (fields: object) => readTextRequest({ model: "m", prompt: "Hello", ...fields }),
  responses: (fields: object) => readResponseRequest({ model: "m", input: "Hello", ...fields }, earlier),
};
type Call = keyof typeof calls;
const callNames = Object.keys(calls) as readonly Call[];

/** A value that is wrong for every field. */
const wrong = { noSuchKey: [] };

function bodyWith(name: string): object {
  const [outer = "", inner] = name.split(".");
  return { [outer]: inner === undefined ? wrong : { [inner]: wrong } };
}

function refusalOf(call: Call, name: string): ApiError {
  try {
    calls[call](bodyWith(name));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${call} takes any value for ${name}: nothing reads the field.`);
}

const rows = Object.entries(requestFields).flatMap(([field, row]) =>
  callNames.map((call) => ({ field, call, name: row[call] })),
);
const taken = rows.flatMap(({ call, name }) => (name === null ? [] : [{ call, name }]));

test.each(taken)("$call reads $name", ({ call, name }) => {
  const { message, param } = refusalOf(call, name);
  expect(param).toMatch(new RegExp(`^${name}\\b`));
  expect(message).not.toContain(`${name} is not known`);
});

const refused = rows.flatMap(({ field, call, name }) => {
  const others = callNames.flatMap(
    (other) => requestFields[field as keyof typeof requestFields][other] ?? [],
  );
  return name === null ? [...new Set(others)].map((other) => ({ call, name: other })) : [];
});

test.each(refused)("$call refuses $name", ({ call, name }) => {
  expect(refusalOf(call, name).message).toContain(`${name} is not known`);
});

test("docs/http.md names each field", () => {
  const page = readFileSync("docs/http.md", "utf8");
  const names = new Set(taken.map(({ name }) => name.split(".").at(-1) ?? name));
  expect([...names].filter((name) => !page.includes(`\`${name}`))).toEqual([]);
});

/** OpenAI's own documentation describes these fields. */
const ofOpenAi = ["temperature", "top_p", "presence_penalty", "frequency_penalty"];

test("docs/http.md names each sampling setting that OpenAI lacks", () => {
  const page = readFileSync("docs/http.md", "utf8");
  const names = Object.keys(samplingNumbers).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  expect(names).toEqual(expect.arrayContaining(ofOpenAi));
  expect(names.filter((name) => !ofOpenAi.includes(name) && !page.includes(`\`${name}\``))).toEqual([]);
});
