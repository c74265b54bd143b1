/** Each option of the table of request fields reaches the request, and docs/embed.md names it. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type MidtokenNamesOf, requestFields } from "../../core/base/request-fields.ts";
import { convertCallOptions } from "./chat-request.ts";
import { providerOptionsToFields as readOptions } from "./provider-options.ts";

const values: Readonly<Record<MidtokenNamesOf<"aiSdk">, unknown>> = {
  parallelToolCalls: false,
  logitBias: { 7: 2 },
  bannedStrings: ["a b"],
  onModError: "continue",
  budget: 50,
  deadlines: { event: 9 },
  promptLookup: false,
  parseSpecial: true,
  heal: false,
};

test.each(Object.entries(values))("providerOptions.midtoken.%s reaches the request", (option, value) => {
  const row = Object.values(requestFields).find(({ aiSdk }) => aiSdk === `midtoken.${option}`);
  const path = row?.chat?.split(".") ?? [];
  const read = readOptions({ midtoken: { [option]: value } as never });
  const found = path.reduce<unknown>((object, key) => (object as Record<string, unknown>)[key], read);
  expect(found).toEqual(value);
});

test("docs/embed.md names each option", () => {
  const page = readFileSync("docs/embed.md", "utf8");
  expect(Object.keys(values).filter((option) => !page.includes(`\`${option}\``))).toEqual([]);
});

test("propertyOrder reaches the response format and the tools", () => {
  const schema = { type: "object" as const };
  const { request } = convertCallOptions("m", {
    prompt: [],
    responseFormat: { type: "json", schema },
    tools: [{ type: "function", name: "look", inputSchema: schema }],
    providerOptions: { midtoken: { propertyOrder: "any" } },
  });
  expect(request.response_format).toMatchObject({ json_schema: { order: "any" } });
  expect(request.tools).toMatchObject([{ function: { name: "look", order: "any" } }]);
});
