import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { LlamaTokenizer } from "@huggingface/transformers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type GraphRun,
  largestDifference,
  lastArgmax,
  openGraph,
} from "../../src/runtime/engine/onnx/testing/run-graph.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { storyModelFiles } from "./files.ts";
import { llama2Encode, llama2Logits } from "./testing/llama2.ts";
import { readVocabularyPieces } from "./tokenizer-files.ts";

const folder = "public/models/stories260k";
const source = (name: string) => readFileSync(join("scripts/stories260k/source", name));
const checkpoint = readCheckpoint(source("stories260K.bin"));
const pieces = readVocabularyPieces(source("tok512.bin"));
const files = storyModelFiles(source("stories260K.bin"), source("tok512.bin"));
const json = (path: string) => JSON.parse(new TextDecoder().decode(files.get(path)));
const tokenizer = new Tokenizer(json("tokenizer.json"), json("tokenizer_config.json"));

const prompt = [1, 403, 407, 261, 378];
const story =
  ", there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball.";

test("the committed folder is what the sources give, byte for byte", () => {
  const committed = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "README.md")
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  expect(committed.toSorted()).toEqual([...files.keys()].toSorted());
  const differing = [...files].filter(([path, bytes]) => !readFileSync(join(folder, path)).equals(bytes));
  expect(differing.map(([path]) => path)).toEqual([]);
});

describe("tokenizer", () => {
  const texts = [
    "Once upon a time",
    "",
    " ",
    "   two  spaces   ",
    'Lily said, "I don\'t know!"\nTom ran.\n\n\tEnd',
    "aaaaaaaaaaaaaaaaaaaaaaa",
    "the the the theth ththe",
    "naïve café, œuvre — “quoted” … 12345",
    "漢字かな交じり 😀👩‍👩‍👧 \u0000\u0007",
    "<0x0A> < s > <unk",
    "She sells sea shells; he hehe hhe eehee ssss ing inging",
    story,
  ];

  /** Deterministic texts from letters that merge a lot. */
  function* randomTexts(count: number): Generator<string> {
    let state = 1;
    const next = (limit: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    const letters = Array.from("eeetttaaooiinnsshhrrdl  ..,'\nTHSéß😀");
    const ordinary = pieces.slice(259).map((piece) => piece.text);
    for (let i = 0; i < count; i++) {
      const from = i % 2 === 0 ? letters : ordinary;
      yield Array.from({ length: 1 + next(60) }, () => from[next(from.length)]).join("");
    }
  }

  test.each(texts)("encodes %j as llama2.c does, and back", (text) => {
    const ids = tokenizer.encode(text, { add_special_tokens: false }).ids;
    expect(ids).toEqual(llama2Encode(pieces, text));
    if (text !== "") expect(tokenizer.decode(ids)).toBe(text);
  });

  test("2,000 made-up texts", () => {
    for (const text of randomTexts(2000)) {
      const ids = tokenizer.encode(text, { add_special_tokens: false }).ids;
      expect(ids, text).toEqual(llama2Encode(pieces, text));
      expect(tokenizer.decode(ids)).toBe(text);
    }
  });

  test("the begin token comes with special tokens, once", () => {
    expect(tokenizer.encode("Once upon a time").ids).toEqual(prompt);
    expect(tokenizer.encode("Once upon a time", { add_special_tokens: false }).ids).toEqual(prompt.slice(1));
  });

  test("in @huggingface/transformers the chat template joins the contents behind one begin token", () => {
    const peer = new LlamaTokenizer(json("tokenizer.json"), json("tokenizer_config.json"));
    const apply = (contents: (string | null)[]) =>
      peer.apply_chat_template(
        contents.map((content) => ({ role: "user", content: content as string })),
        { tokenize: true, return_dict: false, return_tensor: false, add_generation_prompt: true },
      );
    expect(peer("Once upon a time", { return_tensor: false }).input_ids).toEqual(prompt);
    expect(apply(["Once upon a time"])).toEqual(prompt);
    expect(apply(["Once upon", null, " a time"])).toEqual(prompt);
  });
});

describe("fp32 graph", () => {
  let graph: GraphRun;
  beforeAll(async () => {
    graph = await openGraph({ model: files.get("onnx/model.onnx") ?? new Uint8Array() });
  });
  afterAll(() => graph.release());

  test("tells the story, with llama2.c's logits at every position", async () => {
    let logits = await graph.run(prompt);
    const rows = [...rowsOf(logits)];
    const generated: number[] = [];
    const expected = llama2Encode(pieces, `Once upon a time${story}`).slice(prompt.length - 1);
    while (generated.length < expected.length) {
      const token = lastArgmax(logits, checkpoint.vocabulary);
      generated.push(token);
      logits = await graph.run([token]);
      rows.push(...rowsOf(logits));
    }
    expect(tokenizer.decode([...prompt.slice(1), ...generated])).toBe(`Once upon a time${story}`);
    const reference = llama2Logits(checkpoint, [...prompt, ...generated]);
    const differences = rows.map((row, i) => largestDifference(row, reference[i] ?? new Float32Array()));
    expect(rows).toHaveLength(reference.length);
    expect(Math.max(...differences)).toBeLessThan(1e-4);
  });
});

describe("4-bit graph", () => {
  test("is close to the float32 graph along the story, and not the same", async () => {
    const tokens = [...prompt, ...llama2Encode(pieces, story.slice(1))];
    const rows: Float32Array[][] = [];
    for (const file of ["onnx/model.onnx", "onnx/model_q4.onnx"]) {
      const graph = await openGraph({ model: files.get(file) ?? new Uint8Array() });
      rows.push([...rowsOf(await graph.run(tokens))]);
      await graph.release();
    }
    const [exact = [], rough = []] = rows;
    const divergences = exact.map((row, i) => divergence(row, rough[i] ?? new Float32Array()));
    const mean = divergences.reduce((sum, each) => sum + each, 0) / divergences.length;
    expect(mean).toBeGreaterThan(1e-4);
    expect(mean).toBeLessThan(0.06);
  });
});

/** Kullback-Leibler divergence of the distributions that two rows of logits give. */
function divergence(exact: Float32Array, rough: Float32Array): number {
  const logSumExp = (row: Float32Array) => Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0));
  const [exactSum, roughSum] = [logSumExp(exact), logSumExp(rough)];
  return exact.reduce((sum, logit, i) => {
    const logprob = logit - exactSum;
    return sum + Math.exp(logprob) * (logprob - ((rough[i] ?? 0) - roughSum));
  }, 0);
}

function* rowsOf(logits: Float32Array): Generator<Float32Array> {
  for (let i = 0; i < logits.length; i += checkpoint.vocabulary) {
    yield logits.slice(i, i + checkpoint.vocabulary);
  }
}
