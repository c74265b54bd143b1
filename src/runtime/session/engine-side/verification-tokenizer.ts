/** Gets tokenizer and chat template for verifying a run: from the loaded model, or from the files of the run's model. The last result is cached. */
import {
  type LoadOptions,
  loadTokenizerAndPrompts,
  type TokenizerAndPrompts,
} from "../../engine/load/load-model.ts";
import type { ModelReference } from "../shared/protocol.ts";
import type { LoadedModelEntry } from "./loaded-model-cache.ts";

export class VerificationTokenizerLoader {
  #cached: { readonly key: string; readonly bundle: TokenizerAndPrompts } | null = null;

  /**
   * Returns those of `loaded` if it is this model; otherwise reads the model's files. @throws ModelFileError if a file
   * is missing or damaged; the signal's reason when cancelled
   */
  async load(
    model: ModelReference,
    vocabularySize: number,
    loaded: LoadedModelEntry | null,
    options: Pick<LoadOptions, "signal" | "aroundTokenizer">,
  ): Promise<TokenizerAndPrompts> {
    const isLoaded =
      loaded?.choice.model.url === model.url && loaded.bundle.info.vocabularySize === vocabularySize;
    if (loaded && isLoaded) return loaded.bundle;
    const key = `${model.url} ${vocabularySize}`;
    if (this.#cached?.key !== key) {
      this.#cached = { key, bundle: await loadTokenizerAndPrompts(model, vocabularySize, options) };
    }
    return this.#cached.bundle;
  }
}
