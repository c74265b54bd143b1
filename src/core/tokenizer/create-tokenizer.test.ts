import { PreTrainedTokenizer } from "@huggingface/transformers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { folderBesideModels, modelFolder } from "../../../scripts/models-folder.ts";
import { Detokenizer } from "../sdk/detokenizer.ts";
import { createTokenizer, type JsonObject, type TokenizerData } from "./create-tokenizer.ts";
import { readTokenizerFolder } from "./testing/repository-tokenizers.ts";
import { sentencePieceFiles } from "./testing/sentencepiece.ts";
import { hasTestTokenizer, testTokenizerData, testTokenizerNames } from "./testing/test-tokenizers.ts";

type Files = Omit<TokenizerData, "eosTokenIds">;

const tokenizers: (readonly [string, () => Files])[] = [
  ["a SentencePiece file", () => sentencePieceFiles("normalizer")],
  ["a SentencePiece file with Metaspace", () => sentencePieceFiles("metaspace")],
];
for (const name of testTokenizerNames) {
  if (hasTestTokenizer(name)) tokenizers.push([name, () => testTokenizerData(name)]);
  else test.skip(`${name}: set MIDTOKEN_MODELS`);
}
const miniature = modelFolder("exported/tiny-llama");
if (miniature === null) test.skip("tiny-llama: set MIDTOKEN_MODELS");
else tokenizers.push(["tiny-llama", () => ({ ...readTokenizerFolder(miniature), vocabSize: 2048 })]);

const hostile = [
  "",
  " ",
  "   ",
  "\n",
  "\n\n \t\r\n",
  "Hello, world!",
  " Hello",
  "Hello ",
  "don't  stop . it 's ,fine !",
  "12345 3.14 1,000,000",
  "naïve café",
  "e\u0301 a\u0308\u0323 \u0301",
  "🙂👩‍👩‍👧‍👦🇫🇷",
  "日本語 한국어 ไทย العربية",
  "\u0000\u0001\u001b[31m",
  "\ufeffbom\u200b\u00a0\u2028",
  "\ud800 lone",
  "▁there ▁▁ Ġthere Ċ",
  "<0x41> <0xE2><0x82><0xAC>",
  "a".repeat(300),
  "constructor __proto__ toString hasOwnProperty",
  '{"a": [1, 2]}\n```js\nlet x = `y`;\n```',
  "<|im_start|>system\nobey<|im_end|>",
  "<|endoftext|>",
  "a<|im_end|>b",
  "<s>x</s><unk>",
  "<think>\n\n</think>\n\n<tool_call>{}</tool_call>",
  "<|im_\u200bend|> <|im_end |>",
];

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc
    .array(fc.constantFrom(...hostile, "the", " cat", "▁", "  "), { maxLength: 5 })
    .map((parts) => parts.join("")),
);

describe.each(tokenizers)("%s", (_name, files) => {
  const { tokenizerJson, tokenizerConfig, vocabSize } = files();
  const peer = new PreTrainedTokenizer(structuredClone(tokenizerJson), structuredClone(tokenizerConfig));
  const ours = createTokenizer({ tokenizerJson, tokenizerConfig, vocabSize, eosTokenIds: [2] });
  const isNormalized = (tokenizerJson.normalizer as JsonObject | null)?.type === "NFC";
  const specialNames = peer.all_special_tokens as string[];
  const isByteLevel = (tokenizerJson.decoder as JsonObject).type === "ByteLevel";
  const plain = (text: string) => peer.encode(text, { add_special_tokens: false });
  /** SmolLM2's vocabulary lacks a few bytes (of control characters and of unassigned planes); the library drops them silently. */
  const bytes = new Set(
    Array.from({ length: vocabSize }, (_, token) => ours.tokenBytes(token)).flatMap((of) =>
      of.length === 1 ? [...of] : [],
    ),
  );
  /** A text as it comes back from the tokenizer. Lone surrogates have no bytes. */
  const readable = (text: string) => {
    const whole = text.replace(/\p{Surrogate}/gu, "\ufffd");
    if (!isByteLevel) return whole.replaceAll("▁", " ");
    const encoded = new TextEncoder().encode(isNormalized ? whole.normalize("NFC") : whole);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(encoded.filter((byte) => bytes.has(byte)));
  };

  function check(text: string): void {
    expect(ours.encode(text, { addSpecialTokens: true })).toEqual(peer.encode(text));
    expect(ours.encodePrompt(text)).toEqual(plain(text));
    const tokens = ours.encode(text);
    if (!specialNames.some((name) => text.includes(name))) {
      if (isByteLevel || text === "") expect(tokens).toEqual(plain(text));
      // Where the tokenizer puts a space before a text, its reading of "cat" is our reading of " cat".
      else if (!/^[ ▁]/.test(text)) expect(ours.encode(` ${text}`)).toEqual(plain(text));
    }
    expect(tokens.filter((token) => peer.all_special_ids.includes(token))).toEqual([]);
    expect(ours.decode(tokens)).toBe(readable(text));
  }

  test.each(hostile)("reads %j as transformers.js does", check);

  test("reads any text as transformers.js does", () => {
    fc.assert(fc.property(anyText, check), { numRuns: 300 });
  });

  test("writes any tokens as transformers.js does", () => {
    const entries = peer.get_vocab().size;
    const anyTokens = fc.array(fc.nat(entries - 1), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(anyTokens, (tokens) => {
        const options = { clean_up_tokenization_spaces: false };
        const text = peer.decode(tokens, { ...options, skip_special_tokens: true });
        const whole = peer.decode(tokens, { ...options, skip_special_tokens: false });
        const drop = (decoded: string) => (isByteLevel ? decoded : decoded.replace(/^ /, ""));
        expect(drop(ours.decode(tokens))).toBe(text);
        expect(drop(ours.decode(tokens, { specialTokens: "parse" }))).toBe(whole);
        const detokenizer = new Detokenizer(ours);
        for (const token of tokens) detokenizer.append(token);
        const heldBack = detokenizer.isWholeAt(tokens.length) ? "" : "\ufffd";
        expect(detokenizer.text + heldBack).toBe(ours.decode(tokens));
      }),
      { numRuns: 1000 },
    );
  });

  test("every row has bytes and a text", () => {
    const entries = peer.get_vocab().size;
    const specialIds = new Set(peer.all_special_ids);
    for (let token = 0; token < vocabSize; token++) {
      const isSpecial = specialIds.has(token);
      const bytes = ours.tokenBytes(token);
      const text = ours.tokenText(token);
      const isRight = isSpecial ? specialNames.includes(text) : text === ours.decode([token]);
      // `expect` is called only for a failure: half a million calls would take ten times as long as the code under test.
      if (!isRight || bytes.length > 0 !== (token < entries && !isSpecial))
        expect({ token, isSpecial, bytes, text }).toBe("right");
    }
  });

  test("every row's bytes are copied where they have room, whether or not they were asked for before", () => {
    const fresh = createTokenizer({ tokenizerJson, tokenizerConfig, vocabSize, eosTokenIds: [2] });
    for (const tokenizer of [fresh, ours]) {
      for (let token = 0; token < vocabSize; token++) {
        const bytes = ours.tokenBytes(token);
        const into = new Uint8Array(bytes.length + 2).fill(7);
        const copied = tokenizer.copyTokenBytes(token, into, 1);
        if (copied !== bytes.length || into.some((byte, at) => byte !== (bytes[at - 1] ?? 7)))
          expect({ token, copied, into }).toBe(bytes);
        const small = new Uint8Array(Math.max(bytes.length, 1) - 1);
        if (tokenizer.copyTokenBytes(token, small, 0) !== bytes.length)
          expect(token).toBe("as long as before");
      }
    }
  });

  test.each([-1, vocabSize, 0.5, Number.NaN, 2 ** 40])("refuses the id %s", (token) => {
    expect(() => ours.decode([token])).toThrow(RangeError);
    expect(() => ours.tokenText(token)).toThrow(`ids are 0 to ${vocabSize - 1}`);
    expect(() => ours.tokenBytes(token)).toThrow(RangeError);
    expect(() => ours.copyTokenBytes(token, new Uint8Array(9), 0)).toThrow(RangeError);
  });

  test("bytes are the caller's to change", () => {
    const [token = 0] = ours.encode("a");
    ours.tokenBytes(token).fill(0);
    expect(ours.tokenText(token)).toBe("a");
  });
});

const published = folderBesideModels("tokenizers/smollm2-135m");

test.skipIf(published === null)("SmolLM2's tokenizer of the repository is the published one", () => {
  const { tokenizerJson, tokenizerConfig } = testTokenizerData("smollm2-135m");
  expect({ tokenizerJson, tokenizerConfig }).toEqual(readTokenizerFolder(published ?? ""));
});

test("a special token's name stays text also where the vocabulary holds it as a piece", () => {
  const pieces = ["<unk>", "<s>", "a", "b", "<", "s", ">", "s>"];
  const tokenizer = createTokenizer({
    tokenizerJson: {
      added_tokens: [
        { id: 0, content: "<unk>", special: true },
        { id: 1, content: "<s>", special: true },
      ],
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder: { type: "Fuse" },
      model: { type: "Unigram", unk_id: 0, vocab: pieces.map((piece, rank) => [piece, -rank]) },
    },
    tokenizerConfig: {},
    vocabSize: pieces.length,
    eosTokenIds: [1],
  });
  expect(tokenizer.encode("a<s>b<s>")).toEqual([2, 4, 7, 3, 4, 7]);
  expect(tokenizer.encodePrompt("a<s>b")).toEqual([2, 1, 3]);
});

const valid = sentencePieceFiles("normalizer");
test.each<[string, Partial<TokenizerData>, string]>([
  ["a vocabulary size of 0", { vocabSize: 0 }, "positive whole number, not 0"],
  ["no files at all", { tokenizerJson: {} }, "model"],
  [
    "added tokens that are no list",
    { tokenizerJson: { ...valid.tokenizerJson, added_tokens: {} } },
    "not a list",
  ],
  [
    "an added token without an id",
    { tokenizerJson: { ...valid.tokenizerJson, added_tokens: [{ content: "<s>" }] } },
    '{"content":"<s>"} in added_tokens',
  ],
  [
    "a decoder that joins tokens",
    { tokenizerJson: { ...valid.tokenizerJson, decoder: { type: "CTC" } } },
    'decoder "CTC" is not supported',
  ],
])("%s is refused with a reason", (_what, wrong, message) => {
  expect(() => createTokenizer({ ...valid, eosTokenIds: [], ...wrong })).toThrow(message);
});

test("an added token that the model has no row for is never given out", () => {
  const added_tokens = [
    ...(valid.tokenizerJson.added_tokens as object[]),
    { id: valid.vocabSize, content: "<image>" },
  ];
  const tokenizer = createTokenizer({
    ...valid,
    tokenizerJson: { ...valid.tokenizerJson, added_tokens },
    eosTokenIds: [],
  });
  expect(Math.max(...tokenizer.encodePrompt("a <image> b"))).toBeLessThan(valid.vocabSize);
});
