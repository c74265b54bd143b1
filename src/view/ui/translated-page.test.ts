/** A browser that translates the page changes the texts of options, so each option needs its own `value`; names and code stay. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("every option of a menu has a value", () => {
  const options = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".tsx"))
    .flatMap((path) =>
      [...readFileSync(`src/${path}`, "utf8").matchAll(/<option\b[^>]*>/g)].map(([tag]) => ({ path, tag })),
    );
  expect(options.length).toBeGreaterThan(20);
  expect(options.filter(({ tag }) => !/\bvalue=/.test(tag))).toEqual([]);
});

test("code, sources and recorded outputs are not translated", () => {
  const tags = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".tsx") && !path.includes(".test."))
    .flatMap((path) =>
      [...readFileSync(`src/${path}`, "utf8").matchAll(/<(?:pre|code)\b(?:[^>]|=>)*>/g)].map(([tag]) => ({
        path,
        tag,
      })),
    );
  expect(tags.length).toBeGreaterThan(10);
  expect(tags.filter(({ tag }) => !tag.includes('translate="no"'))).toEqual([]);
});
