/** The tests of `enforce.test.ts` on the tokenizer of an exporter's miniature, whose special tokens are its own. */
import { describe, test } from "vitest";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { createTokenizer } from "../tokenizer/create-tokenizer.ts";
import { readTokenizerFolder } from "../tokenizer/testing/repository-tokenizers.ts";
import { testEnforcement } from "./testing/test-enforcement.ts";

const miniature = modelFolder("exported/tiny-lfm2");
if (miniature === null) test.skip("on the tokenizer of a miniature: set MIDTOKEN_MODELS", () => {});
else
  describe("on the tokenizer of a miniature", () => {
    testEnforcement(() =>
      createTokenizer({ ...readTokenizerFolder(miniature), vocabSize: 2048, eosTokenIds: [2] }),
    );
  });
