/** Refuses phrases of translated English in the texts that users read (`npm run strings`). */
import { expect, test } from "vitest";
import { listStrings } from "./list-strings.ts";

interface Phrase {
  readonly pattern: RegExp;
  readonly instead: string;
}

const phrases: readonly Phrase[] = [
  { pattern: /\b(go|goes|going|went) on\b/i, instead: "continue" },
  { pattern: /\bof it\b/i, instead: "the noun, or nothing" },
  { pattern: /\bwhat (is|are|was|were|stands|comes|lies)\b/, instead: "the noun" },
  { pattern: /^What (is|are|was|were)\b[^?]*$/, instead: "the noun" },
  { pattern: /(^|[.:;] )Who \w+s\b[^?]*$/, instead: "Anyone who …" },
  { pattern: /(?<!\b[Tt]here )\b(is|are|was) no (?!longer\b)/, instead: "is not a …" },
  { pattern: /\b(is|are) so now\b/i, instead: "the new state" },
  { pattern: /\bc[oa]mes? to (its|their|an) end\b/i, instead: "ends" },
  { pattern: /\bkept\b/i, instead: "saved, cached or preserved" },
  { pattern: /\banew\b/i, instead: "again" },
  { pattern: /\b(stands?|stood)\b(?! for\b)/i, instead: "is" },
  { pattern: /\bin place of\b/i, instead: "instead of" },
  { pattern: /\bunless (given|told)\b/i, instead: "by default" },
  { pattern: /\b(are|is|be) (taken|asked for|wanted)\b(?! back\b)/i, instead: "allowed, used, requested" },
  { pattern: /\b(text|texts|alone|decoders|here) alone\b|\bthat reason alone\b/i, instead: "only" },
  { pattern: /\bone another\b/i, instead: "each other" },
  { pattern: /\b(no|any) more\b(?! (than|of|\w+s\b))/i, instead: "no longer; more with its noun" },
  { pattern: /\bof which\b/i, instead: "a sentence of its own" },
  { pattern: /\bby (itself|themselves)\b/i, instead: "automatically, separately" },
];

/** Files whose texts are not sentences of Midtoken. */
const otherTexts: Readonly<Record<string, string>> = {
  "src/core/vectors/library/": "texts from which vectors are made",
  "src/page/examples/catalog/": "prompts of the examples",
  "src/runtime/engine/kernels/": "programs for the GPU",
  "src/core/decoder/ports/language-model.": "names of tests that every model passes",
  "src/core/trace/codec/dictionary.ts": "words of stories, which make links shorter",
};

/** Sentences that may have a phrase, with the reason. */
const allowed: Readonly<Record<string, string>> = {
  "go on continue": "words that find the command Resume",
};

const isSource = (text: string) => /\bimport \{|\bdeclare (const|module)\b|=> \{/.test(text);

const files = listStrings([]).filter(
  ({ path }) => !Object.keys(otherTexts).some((folder) => path.startsWith(folder)),
);
const sentences = files.flatMap(({ path, strings }) =>
  strings.filter(({ text }) => !isSource(text)).map(({ line, text }) => ({ place: `${path}:${line}`, text })),
);

test("no text for users has a phrase of translated English", () => {
  const found = sentences.flatMap(({ place, text }) =>
    phrases
      .filter(({ pattern }) => pattern.test(text) && !(text in allowed))
      .map(({ pattern, instead }) => `${place}: "${pattern.exec(text)?.[0]}" (${instead}) in: ${text}`),
  );
  expect(found).toEqual([]);
});

test("each allowed sentence is still there", () => {
  const texts = new Set(sentences.map(({ text }) => text));
  expect(Object.keys(allowed).filter((text) => !texts.has(text))).toEqual([]);
});
