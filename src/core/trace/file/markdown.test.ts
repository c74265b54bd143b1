import { expect, test } from "vitest";
import { traceOf } from "../format/trace-of.ts";
import { createTraceModel } from "../model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../testing/trace-builder.ts";
import { markdownOf } from "./markdown.ts";

/** The Markdown of a run: words with a sign before them are forced (+) or removed (-) by a mod. */
function markdown(words: readonly string[], about: Parameters<typeof requestRecord>[0] = {}): string {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "mod", source: "" }], ...about }));
  builder.prefill([{ token: 1, text: "x" }]);
  for (const word of words) {
    const isForced = word.startsWith("+");
    const text = isForced ? word.slice(1) : word;
    builder.add([{ token: 97, text }], isForced ? "forced" : "sampled", { mod: isForced ? 0 : null });
  }
  const model = createTraceModel();
  model.append(traceOf(builder).records);
  return markdownOf(model, null);
}

const quoted = (words: readonly string[]) =>
  markdown(words)
    .split("\n")
    .filter((line) => line.startsWith(">"))
    .join("\n");

test.each([
  [["Once", " upon"], "> Once upon"],
  [["One", "+ Max", " ran"], "> One **Max** ran"],
  [["friend", "+, a very clever bird,", " who"], "> friend, **a very clever bird**, who"],
  [["a", "+!", "b"], "> a<b>\\!</b>b"],
  [["a", "+ ", "b"], "> a b"],
  [["a\nb", "\n\nc"], "> a\\\n> b\n>\n> c"],
  [["+x\n\ny"], "> **x**\n>\n> **y**"],
  [["- list"], "> \\- list"],
  [["# head"], "> \\# head"],
  [["1. one"], "> \\1. one"],
  [["<script>alert(1)</script>"], "> \\<script\\>alert\\(1\\)\\</script\\>"],
  [["[a](javascript:x) ![b](//c)"], "> \\[a\\]\\(javascript:x\\) \\!\\[b\\]\\(//c\\)"],
  [["https://evil.example www.evil.example"], "> https\\://evil.example www\\.evil.example"],
  [["@everyone &lt; `code` ~~s~~ a|b $x$"], "> \\@everyone \\&lt; \\`code\\` \\~\\~s\\~\\~ a\\|b \\$x\\$"],
  [["a\u202eb\u0000"], "> a\ufffdb␀"],
])("%j", (words, expected) => expect(quoted(words)).toBe(expected));

test("the figures are a table, whose cells no name breaks", () => {
  const text = markdown(["a", "+b"], { mods: [{ name: "x|y\n<b>", source: "" }], seed: 7 });
  expect(text).toContain("| Mods | x\\|y↵\\<b\\> |\n");
  expect(text).toContain("| Tokens in the output | 2 |\n| Forced tokens | 1 |");
  expect(text).toContain("| Seed | 7 |");
});

test("a long run is cut, and says by how much", () => {
  const text = markdown(Array.from({ length: 30_000 }, () => "a"));
  expect(text).toContain("> *10,000 more tokens are in the run.*");
});
