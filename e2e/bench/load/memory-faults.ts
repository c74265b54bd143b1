/** Faults of a session: what each is, and those of a browser that gives no more memory. */
import { ensureGeneratedModel, generatedFolder } from "../../../scripts/models/generated.ts";
import { type BenchPage, servedFolder } from "../decode/browser.ts";
import type {} from "./session.ts";

/** A fault: the message that the user gets has to match, and the next request has to tell the story as ever. */
export interface Fault {
  readonly name: string;
  readonly device: "wasm" | "webgpu";
  /** With the model whose cache is large, in place of the bundled one. */
  readonly isLarge?: true;
  readonly says: RegExp;
  readonly inject: (page: BenchPage["page"]) => Promise<string>;
}

/** Its cache takes 16 KB a token. */
export const largeFolder = (): string => ensureGeneratedModel("large-cache", ["fp32"]);
export const largeModel: readonly [path: string, dtype: string] = [
  servedFolder(generatedFolder("large-cache")),
  "fp32",
];

export const messageOf = ({ failure, error }: { failure: string | null; error: string | null }): string =>
  failure ?? error ?? "";

/** A run of `changes` while the worker's browser refuses memory as `word` says. */
async function runRefused(
  page: BenchPage["page"],
  word: string,
  changes: Parameters<typeof window.midtoken.run>[1] = {},
): Promise<string> {
  await page.evaluate((said) => window.midtoken.tell(said), word);
  const outcome = await page.evaluate((fields) => window.midtoken.run([], fields), changes);
  await page.evaluate(() => window.midtoken.tell("memory back"));
  return messageOf(outcome);
}

/** More tokens than a cache has room for to begin with. */
const longPrompt = { messages: [{ role: "user" as const, content: "word ".repeat(1200) }] };

/** 1,900 tokens in one pass, which need more than 100 MB for a moment. */
const longSpan = {
  name: "span",
  source:
    "import { mod } from 'midtoken/mod'; export default mod({ added: ({ step }, { forceTokens }) => (step === 1 ? forceTokens(Array(1900).fill(100)) : undefined) });",
};

export const memoryFaults: readonly Fault[] = [
  {
    name: "no room in WebAssembly's heap for a model",
    device: "wasm",
    says: /no room for .*smaller model/s,
    inject: async (page) => {
      await page.evaluate(() => window.midtoken.tell("no heap"));
      const said = await page.evaluate(
        ([path, dtype]) =>
          window.midtoken.load("wasm", path, dtype).then(
            () => "",
            (error: Error) => error.message,
          ),
        largeModel,
      );
      await page.evaluate(() => window.midtoken.tell("memory back"));
      return said;
    },
  },
  {
    name: "no room in it for a longer text",
    device: "wasm",
    isLarge: true,
    says: /no room for .*shorter text/s,
    inject: (page) => runRefused(page, "no heap", longPrompt),
  },
  {
    name: "a pass that fails for want of memory",
    device: "wasm",
    isLarge: true,
    says: /loaded again/,
    inject: async (page) => {
      // The cache has room by then: it is the pass that has none.
      await page.evaluate((fields) => window.midtoken.run([], fields), longPrompt);
      await page.evaluate(() => window.midtoken.tell("no heap"));
      const outcome = await page.evaluate((mod) => window.midtoken.run([mod], { maxTokens: 1950 }), longSpan);
      await page.evaluate(() => window.midtoken.tell("memory back"));
      return messageOf(outcome);
    },
  },
  {
    name: "no memory for an array",
    device: "wasm",
    says: /not enough memory for the result.*smaller model.*loaded again/s,
    inject: (page) => runRefused(page, "no arrays"),
  },
  {
    name: "no graphics memory for a longer text",
    device: "webgpu",
    isLarge: true,
    says: /graphics memory has no room.*Shorten/s,
    inject: (page) => runRefused(page, "no graphics", longPrompt),
  },
  {
    name: "graphics memory full in mid-request",
    device: "webgpu",
    says: /graphics memory is full.*loaded again/s,
    inject: (page) =>
      page
        .evaluate(() => window.midtoken.run([], { maxTokens: 200 }, { tellAfter: 5, word: "graphics full" }))
        .then(messageOf),
  },
];
