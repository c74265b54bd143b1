/** The vocabularies that the repository has: the bundled model's, and one of real size. */
import {
  createTokenizer,
  type ModelTokenizer,
  type TokenizerData,
} from "../../tokenizer/create-tokenizer.ts";
import {
  type RepositoryTokenizerName,
  repositoryTokenizerData,
} from "../../tokenizer/testing/repository-tokenizers.ts";

/** Makes each tokenizer once for a test file. */
export function createTokenizersOnce<Name>(
  dataOf: (name: Name) => TokenizerData,
): (name: Name) => ModelTokenizer {
  const made = new Map<Name, ModelTokenizer>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const tokenizer = createTokenizer(dataOf(name));
    made.set(name, tokenizer);
    return tokenizer;
  };
}

export const repositoryTokenizer = createTokenizersOnce<RepositoryTokenizerName>(repositoryTokenizerData);
