/** For any weights, an answer that must be calls is read back as valid calls. */
import { describe } from "vitest";
import { repositoryTokenizerData } from "../tokenizer/testing/repository-tokenizers.ts";
import { renamedTokenizer } from "./testing/answer.ts";
import { testEnforcement } from "./testing/test-enforcement.ts";

describe("on the tokenizer of SmolLM2", () => {
  const data = () => repositoryTokenizerData("smollm2-135m");
  testEnforcement((renamed) => renamedTokenizer(data(), renamed));
});
