/** Pages of the docs show their examples as they are run. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { answer } from "../e2e/docs/masks/own-loop.ts";
import {
  docPagesWithExamples,
  examplesInMarkdown,
  insertExamplesIntoMarkdown,
  readDocument,
} from "./doc-examples.ts";

describe.each(docPagesWithExamples)("%s", (path) => {
  const page = readDocument(path);

  test("shows its examples as they are (npx tsx scripts/doc-examples.ts)", () => {
    expect(page).toBe(insertExamplesIntoMarkdown(page));
    expect(examplesInMarkdown(page).others).toBe(0);
  });

  test("shows every file of its folder, once", () => {
    const folder = path.replace("docs/", "e2e/docs/").replace(".md", "");
    const shown = examplesInMarkdown(page).files.flatMap((file) =>
      file.startsWith(`${folder}/`) ? [file.replace(`${folder}/`, "")] : [],
    );
    expect(shown.toSorted()).toEqual(readdirSync(folder).toSorted());
  });

  test("leads to sections and files that are there", () => {
    for (const [, target = ""] of page.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file, anchor] = target.split("#");
      const text = file === "" ? page : readDocument(`docs/${file}`);
      if (anchor !== undefined) expect(anchorsOf(text)).toContain(anchor);
    }
  });
});

function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-"),
  );
}

test("a loop of one's own ends with the answer that docs/masks.md names", () => {
  expect(answer).toBe('{"ok":true}');
  expect(readDocument("docs/masks.md")).toContain(`\`answer\` is \`${answer}\``);
});
