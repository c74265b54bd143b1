/** @mlc-ai/web-xgrammar 0.1.27 as an oracle: XGrammar in WebAssembly. It ignores keywords that it cannot enforce. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { compileFunction, constants } from "node:vm";
import type * as XGrammar from "@mlc-ai/web-xgrammar";
import type { JsonObject } from "../../tokenizer/create-tokenizer.ts";
import type { Oracle, OracleQuestion } from "./oracle.ts";

export interface XGrammarVocabulary {
  /** As `model.vocab` of a tokenizer.json spells them, in the order of their numbers. */
  readonly tokens: readonly string[];
  readonly spelling: "byte_level" | "byte_fallback";
  readonly endOfSequence: readonly number[];
}

/** Tokens of a tokenizer.json: those of the model, then the added ones. */
export function xgrammarVocabulary(
  tokenizerJson: JsonObject,
  vocabSize: number,
  spelling: XGrammarVocabulary["spelling"],
  endOfSequence: readonly number[],
): XGrammarVocabulary {
  const tokens = Array.from({ length: vocabSize }, () => "");
  const { vocab } = tokenizerJson.model as { vocab: Record<string, number> };
  const added = (tokenizerJson.added_tokens ?? []) as { id: number; content: string }[];
  for (const [token, id] of Object.entries(vocab)) tokens[id] = token;
  for (const { id, content } of added) tokens[id] = content;
  return { tokens, spelling, endOfSequence };
}

export async function xgrammarOracle({
  tokens,
  spelling,
  endOfSequence,
}: XGrammarVocabulary): Promise<Oracle> {
  const { GrammarCompiler, GrammarMatcher, TokenizerInfo } = load();
  const information = await TokenizerInfo.createTokenizerInfo([...tokens], spelling, false, tokens.length, [
    ...endOfSequence,
  ]);
  // Its cache between grammars would let one schema pay for the next.
  const compiler = await GrammarCompiler.createGrammarCompiler(information, false);
  return {
    name: "web-xgrammar",
    async compile(asked) {
      const compiled = await compile(compiler, asked);
      return async () => {
        const matcher = await GrammarMatcher.createGrammarMatcher(compiled);
        return {
          mask: async () => new Uint32Array((await matcher.getNextTokenBitmask()).buffer),
          accept: (token) => matcher.acceptToken(token),
          dispose: () => matcher.dispose(),
        };
      };
    },
  };
}

function compile(
  compiler: XGrammar.GrammarCompiler,
  asked: OracleQuestion,
): Promise<XGrammar.CompiledGrammar> {
  if (asked.kind === "regex") {
    const format = { type: "regex", pattern: asked.source } as const;
    return compiler.compileStructuralTag({ type: "structural_tag", format });
  }
  const anyWhiteSpace = asked.whiteSpace === "free";
  // Not strict: properties and items that the schema does not speak of are allowed, as the standard says.
  return compiler.compileJSONSchema(
    JSON.stringify(asked.schema),
    anyWhiteSpace,
    -1,
    anyWhiteSpace ? undefined : [",", ":"],
    false,
  );
}

/**
 * The package says that it is an ES module and is a CommonJS file, so that `import` finds nothing in it: it is run as what it
 * is. It prints the reason of an error instead of giving it; that is left out.
 */
function load(): typeof XGrammar {
  const require = createRequire(import.meta.url);
  const path = require.resolve("@mlc-ai/web-xgrammar");
  const module = { exports: {} };
  const quiet = { ...console, log() {}, warn() {}, error() {} };
  const parameters = ["exports", "module", "require", "__filename", "__dirname", "console"];
  const run = compileFunction(readFileSync(path, "utf8"), parameters, {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  run(module.exports, module, require, path, dirname(path), quiet);
  return module.exports as typeof XGrammar;
}
