/** The tokenizer and chat template of the model whose record is verified: of the loaded model, or of the one that was fetched for it last. */
import { type LoadOptions, loadTextParts, type TextParts } from "../../engine/load/load-model.ts";
import type { ModelReference } from "../shared/protocol.ts";
import type { Loaded } from "./loaded-model-cache.ts";

export class VerifierTextParts {
  #kept: { readonly key: string; readonly parts: TextParts } | null = null;

  /**
   * The parts of `loaded` if it is this model, and otherwise those of its files. @throws ModelFileError if a file is
   * missing or damaged; the signal's reason when cancelled.
   */
  async load(
    model: ModelReference,
    vocabularySize: number,
    loaded: Loaded | null,
    options: Pick<LoadOptions, "signal" | "aroundTokenizer">,
  ): Promise<TextParts> {
    const isLoaded =
      loaded?.choice.model.url === model.url && loaded.parts.info.vocabularySize === vocabularySize;
    if (loaded && isLoaded) return loaded.parts;
    const key = `${model.url} ${vocabularySize}`;
    if (this.#kept?.key !== key) {
      this.#kept = { key, parts: await loadTextParts(model, vocabularySize, options) };
    }
    return this.#kept.parts;
  }
}
