/** The tables of docs/from-webllm.md name calls and fields that exist, and every sampling setting. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { samplingNumbers } from "../../core/base/sampling.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createTestEngine } from "../testing/test-engine.ts";
import type { ApiError } from "./api-error.ts";
import type { MidtokenEngine } from "./midtoken-engine.ts";
import { readChatRequest } from "./read-chat-request.ts";

const page = readFileSync("docs/from-webllm.md", "utf8");

/** The cells of a section's table, without its head. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [text = ""] = section.split("\n## ");
  const lines = text.split("\n").filter((line) => line.startsWith("| "));
  const cells = lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return cells.filter((row) => row.some((cell) => !/^-*$/.test(cell))).slice(1);
}

const codeIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

let engine: MidtokenEngine;
beforeAll(async () => {
  engine = await createTestEngine({ models: createScriptedModel({ script: "Hello." }) });
});
afterAll(() => engine.dispose());

const ours = rowsOf("Name by name").flatMap(([, midtoken = ""]) => codeIn(midtoken));
const calls = ours.flatMap((code) => /^engine((?:\.\w+)+)/.exec(code)?.[1]?.slice(1) ?? []);

test.each([...new Set(calls)])("the engine has %s", (path) => {
  let value: unknown = engine;
  for (const name of path.split(".")) value = (value as Record<string, unknown>)[name];
  expect(typeof value).toBe("function");
});

const fields = rowsOf("Fields of a request");
const [sameFields = [""], ...others] = fields;
const chatFields = [
  ...codeIn(sameFields.join(" ")),
  ...others
    .filter(([, midtoken]) => midtoken === "the same")
    .flatMap(([webLlm = ""]) => codeIn(webLlm).slice(0, 1)),
  ...codeIn(others.map(([, midtoken = ""]) => midtoken).join(" ")).flatMap(
    (code) => /^(\w+): /.exec(code)?.[1] ?? [],
  ),
];

test.each([...new Set(chatFields)])("a chat request has %s", (name) => {
  const read = () =>
    readChatRequest({ model: "m", messages: [{ role: "user", content: "Hi" }], [name]: { noSuchKey: [] } });
  let refusal: ApiError | null = null;
  try {
    read();
  } catch (error) {
    refusal = error as ApiError;
  }
  expect(refusal?.param).toMatch(new RegExp(`^${name}\\b`));
  expect(refusal?.message).not.toContain(`${name} is not known`);
});

test("the page names every sampling setting, and the tables were found", () => {
  const names = Object.keys(samplingNumbers).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  expect(names.filter((name) => !chatFields.includes(name))).toEqual([]);
  expect(chatFields).toContain("chat_template_kwargs");
  expect(calls.length).toBeGreaterThan(5);
});
