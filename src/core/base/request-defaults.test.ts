/** Documents and help state the defaults of the table. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type RequestDefaults, type RequestDefaultsSurface, requestDefaults } from "./request-defaults.ts";
import { defaultSampling, samplingNames } from "./sampling.ts";

const titles: Readonly<Record<RequestDefaultsSurface, string>> = {
  chat: "`/v1/chat/completions`",
  text: "`/v1/completions`",
  responses: "`/v1/responses`",
  page: "the page",
  run: "`midtoken run`",
  test: "`midtoken test`",
  runMod: "`runMod`",
};

/** The row of docs/http.md for one surface. */
function rowOf(title: string, { sampling, maxTokens, seed }: RequestDefaults): string {
  const others = samplingNames.filter(
    (name) => name !== "temperature" && sampling[name] !== defaultSampling[name],
  );
  const more = others.map((name) => `${name} ${sampling[name]}`).join(", ") || "off";
  const cells = [
    title,
    sampling.temperature,
    more,
    maxTokens ?? "to the end of the context",
    seed ?? "random",
  ];
  return `| ${cells.join(" | ")} |`;
}

test("docs/http.md has a row for each surface", () => {
  const page = readFileSync("docs/http.md", "utf8");
  const rows = Object.entries(titles).map(([surface, title]) =>
    rowOf(title, requestDefaults[surface as RequestDefaultsSurface]),
  );
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});
