/** Hostile requests to the API: each gets a short refusal, and the engine still answers afterwards. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpTestEngine, startStoryTestEngine } from "./testing/story-http.ts";

let story: HttpTestEngine;
beforeAll(async () => {
  story = await startStoryTestEngine();
});
afterAll(() => story.dispose());

const base = "http://midtoken.test/v1";
const messages = [{ role: "user", content: "Once" }];
const send = (path: string, body: string | undefined, type = "application/json", method = "POST") =>
  story.handler(
    new Request(base + path, {
      method,
      ...(body !== undefined && { body, headers: { "content-type": type } }),
    }),
  );

/** Expects a client error in OpenAI's format that quotes little of the request. */
async function expectRefusal(response: Response, statuses: readonly number[]): Promise<void> {
  const text = await response.text();
  expect(statuses, text.slice(0, 300)).toContain(response.status);
  expect(text.length).toBeLessThan(4_000);
  expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) as string } });
}

const nested = (open: string, close: string, depth: number, middle = "") =>
  `${open.repeat(depth)}${middle}${close.repeat(depth)}`;
const chat = (fields: string) =>
  `{"model":"midtoken/stories260k","messages":[{"role":"user","content":"Once"}],${fields}}`;
const schema = (text: string) =>
  chat(`"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":${text}}}`);
const mega = 1_000_000;
const deepArray = nested("[", "]", 100_000);

describe("a body", () => {
  test.each([
    ["of 98 MB of brackets", () => "[".repeat(98 * mega), [400]],
    ["of 8 MB of brackets", () => "[".repeat(8 * mega), [400]],
    ["of 4 million closed arrays", () => nested("[", "]", 4 * mega), [400]],
    ["of a million closed objects", () => nested('{"a":', "}", mega, "1"), [400]],
    ["with deep messages", () => chat(`"stop":${nested("[", "]", 3 * mega)}`), [400]],
    ["with a million empty objects", () => chat(`"stranger":[${"{},".repeat(1e6)}{}]`), [400]],
    ["with a deep schema", () => schema(nested('{"type":"array","items":', "}", 100_000, "{}")), [400]],
    ["with a schema that refers to itself", () => schema('{"$ref":"#"}'), [400]],
    [
      "with brackets in a text, which count for nothing",
      () => chat(`"user":"${"[".repeat(1_000)}","bad":1`),
      [400],
    ],
    ["with brackets after an escaped quote", () => chat(`"user":"\\"${"[{".repeat(1_000)}","bad":1`), [400]],
    [
      "with deep parameters of a tool",
      () =>
        chat(
          `"tools":[{"type":"function","function":{"name":"a","parameters":${nested('{"items":', "}", 100_000, "{}")}}}]`,
        ),
      [400],
    ],
    ["with deep metadata", () => chat(`"metadata":{"a":${deepArray}}`), [400]],
    ["with deep settings of a template", () => chat(`"chat_template_kwargs":{"a":${deepArray}}`), [400]],
    ["with a deep bias", () => chat(`"logit_bias":${deepArray}`), [400]],
    ["with a deep unknown field", () => chat(`"stranger":${deepArray}`), [400]],
    ["with deep options of mods", () => chat(`"midtoken":${deepArray}`), [400]],
    ["of a prototype", () => chat('"__proto__":{"max_tokens":1}'), [400]],
    ["of a constructor", () => chat('"constructor":{"prototype":{"a":1}}'), [400]],
    [
      "with a prototype in a message",
      () => '{"model":"midtoken/stories260k","messages":[{"__proto__":{"role":"user","content":"Once"}}]}',
      [400],
    ],
    ["with a prototype of biases", () => chat('"logit_bias":{"__proto__":5}'), [400]],
    ["with a bias of no token", () => chat('"logit_bias":{"1e3":5}'), [400]],
    ["of a model that every object has", () => JSON.stringify({ model: "__proto__", messages }), [404]],
    ["of a model with a long name", () => JSON.stringify({ model: "m".repeat(900_000), messages }), [404]],
    [
      "of a mod that every object has",
      () => JSON.stringify({ model: "midtoken/stories260k/constructor", messages }),
      [404],
    ],
    [
      "of a mod with a long name",
      () => JSON.stringify({ model: `midtoken/stories260k/${"m".repeat(900_000)}`, messages }),
      [404],
    ],
    ["of a field with a long name", () => chat(`"${"m".repeat(900_000)}":1`), [400]],
    ["with a billion choices", () => chat('"n":1000000000'), [400]],
    ["with a number that is too large", () => chat('"max_tokens":1e999'), [400]],
    ["with a length below nothing", () => chat('"max_tokens":-1'), [400]],
    ["with a million stop sequences", () => chat(`"stop":[${Array(mega).fill('"a"').join()}]`), [400]],
    ["with a text for a flag", () => chat('"stream":"true"'), [400]],
    ["with half a character", () => '{"model":"midtoken/stories260k","messages":"\\ud800"}', [400]],
    ["of bytes that are no text", () => "\u0000\u0001\u0002", [400]],
    ["with two values", () => `${chat('"n":1')}${chat('"n":1')}`, [400]],
    [
      "with a million messages of nothing",
      () => `{"model":"midtoken/stories260k","messages":[${Array(mega).fill("{}").join()}]}`,
      [400],
    ],
    ["that is a number", () => "1", [400]],
    ["that is null", () => "null", [400]],
  ])("%s is refused", async (_, body, statuses) => {
    await expectRefusal(await send("/chat/completions", body()), statuses);
  });

  test.each([
    ["/responses", `{"model":"midtoken/stories260k","input":${deepArray}}`],
    ["/responses", `{"model":"midtoken/stories260k","input":"a","text":${deepArray}}`],
    ["/embeddings", `{"model":"midtoken/stories260k","input":${deepArray}}`],
    ["/completions", `{"model":"midtoken/stories260k","prompt":${deepArray}}`],
    ["/mods", `{"name":"a","source":${deepArray}}`],
    ["/mods", deepArray],
  ])("of %s that is deep is refused: %#", async (path, body) => {
    await expectRefusal(await send(path, body), [400]);
  });

  test.each([
    "text/plain",
    "application/jsonp",
    "application/json+x",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=a",
    "application/javascript",
    "",
  ])("that says it is %j is refused", async (type) => {
    await expectRefusal(await send("/mods", '{"name":"a","source":"export default 1"}', type), [415]);
  });
});

describe("an address", () => {
  test.each([
    ["GET", "/models/..%2f..%2f..%2fetc%2fpasswd"],
    ["GET", "/models/%2e%2e/%2e%2e/etc/passwd"],
    ["GET", "/models/midtoken%2Fstories260k%2F..%2F..%2Fx"],
    ["GET", "/models/%00"],
    ["GET", "/models/__proto__"],
    ["GET", "/models/constructor"],
    ["GET", `/models/${"a".repeat(15_000)}`],
    ["GET", "/models/%ff%fe"],
    ["GET", "/models/a%0d%0aX-Injected:%201"],
    ["GET", "/requests/..%2f..%2fetc%2fpasswd/trace"],
    ["GET", "/requests/__proto__/trace"],
    ["GET", "/requests/%22%0d%0aX-Injected:1/trace"],
    ["GET", `/requests/${"a".repeat(15_000)}/trace`],
    ["DELETE", "/mods/__proto__"],
    ["DELETE", "/mods/constructor"],
    ["DELETE", "/mods/..%2fmodels"],
    ["DELETE", `/mods/${"a".repeat(15_000)}`],
    ["GET", "/responses/__proto__"],
    ["DELETE", "/responses/..%2f..%2fx"],
    ["GET", "/responses/a/../../models/x"],
    ["GET", `/${"a/".repeat(7_000)}`],
    ["GET", "//models"],
  ])("%#: %s leads nowhere", async (method, path) => {
    const response = await send(path, undefined, "", method);
    expect([...response.headers.keys()]).not.toContain("x-injected");
    await expectRefusal(response, [404]);
  });
});

describe("a mod", () => {
  test.each([
    [{ name: "__proto__", source: "export default 1" }, 400],
    [{ name: "a".repeat(7 * mega), source: "export default 1" }, 413],
    [{ name: "../a", source: "export default 1" }, 400],
    [{ name: "a", source: "x".repeat(7 * mega) }, 413],
    [{ name: "a", source: "export default 1", description: "x".repeat(7 * mega) }, 413],
    [{ name: "a", source: "export default 1", entry: "x".repeat(7 * mega) }, 413],
    [{ name: "a", source: ["export default 1"] }, 400],
    [{ name: "a", source: "" }, 400],
    [{ name: "a", source: "export const a = 1" }, 400],
    [{ name: "a", source: "(".repeat(200_000) }, 400],
    [{ name: "a", source: 'import "node:fs"; export default 1' }, 400],
    [{ name: "a", language: "python", hash: "", source: "export default 1", sdkVersion: "1" }, 400],
  ])("that is not one is refused: %#", async (mod, status) => {
    const before = story.engine.mods.list().length;
    await expectRefusal(await send("/mods", JSON.stringify(mod)), [status]);
    expect(story.engine.mods.list()).toHaveLength(before);
  });
});

test("the engine answers after all that, and nothing of it has stayed", async () => {
  const body = JSON.stringify({ model: "midtoken/stories260k", messages, max_tokens: 2 });
  expect((await send("/chat/completions", body)).status).toBe(200);
  expect(({} as Record<string, unknown>).max_tokens).toBeUndefined();
});
