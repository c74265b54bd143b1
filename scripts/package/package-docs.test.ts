import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { packageDocuments, withLinksWithin } from "./package-docs.ts";

test.each([
  ["see [mods](mods.md#flows)", "see [mods](mods.md#flows)"],
  ["see [how](internals/server-logits.md#why)", "see how"],
  ["see [policy](package.md#content-security-policy)", "see [policy](../README.md#content-security-policy)"],
  [
    "see [below](#limits) and [llama.cpp](https://example.org/a)",
    "see [below](#limits) and [llama.cpp](https://example.org/a)",
  ],
  ["see [SECURITY.md](../SECURITY.md)", "see SECURITY.md"],
])("%s becomes %s", (text, changed) => {
  expect(withLinksWithin(text, "remote.md", new Set(["remote.md", "mods.md"]))).toBe(changed);
});

test("each relative link of a packed document leads to a packed document", () => {
  const documents = packageDocuments();
  expect([...documents.keys()]).toEqual(
    expect.arrayContaining(["embed.md", "http.md", "mods.md", "api/index.md"]),
  );
  const links = [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]+\.md)/g)].map(([, target = ""]) =>
      normalize(join(dirname(path), target)),
    ),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((target) => target !== "../README.md" && !documents.has(target))).toEqual([]);
});
