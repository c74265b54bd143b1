/** The vocabularies that the repository has: the bundled model's, and one of real size. */
import { createTokenizer, type ModelTokenizer } from "../../tokenizer/create-tokenizer.ts";
import {
  type RepositoryTokenizerName,
  repositoryTokenizerData,
} from "../../tokenizer/testing/repository-tokenizers.ts";

const made = new Map<RepositoryTokenizerName, ModelTokenizer>();

/** Made once for a test file. */
export function repositoryTokenizer(name: RepositoryTokenizerName): ModelTokenizer {
  const known = made.get(name);
  if (known !== undefined) return known;
  const tokenizer = createTokenizer(repositoryTokenizerData(name));
  made.set(name, tokenizer);
  return tokenizer;
}
