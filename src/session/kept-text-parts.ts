/** The tokenizer and chat template of the model whose record was verified last, where that model is not the loaded one. */
import { loadTextParts, type TextParts } from "../engine/load-model.ts";
import type { ModelReference } from "./protocol.ts";

export class KeptTextParts {
  #kept: { readonly key: string; readonly parts: TextParts } | null = null;

  /** @throws ModelFileError when a file is missing or damaged; the signal's reason when cancelled. */
  async load(model: ModelReference, vocabularySize: number, signal: AbortSignal): Promise<TextParts> {
    const key = `${model.url} ${vocabularySize}`;
    if (this.#kept?.key !== key) {
      this.#kept = { key, parts: await loadTextParts(model, vocabularySize, { signal }) };
    }
    return this.#kept.parts;
  }
}
