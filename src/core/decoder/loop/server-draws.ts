/** The draws of a server, each of which belongs to the text that it follows. */

import type { TokenId } from "../../sdk/request.ts";
import type { ServerDraw } from "../ports/listed-logits.ts";

/** A language model, as far as draws of its server go: see language-model.ts. */
interface DrawingModel {
  takeServerDraw?(): ServerDraw | null;
}

export class ServerDraws {
  readonly #model: DrawingModel;
  #putBack: { readonly text: readonly TokenId[]; readonly draw: ServerDraw } | null = null;

  constructor(model: DrawingModel) {
    this.#model = model;
  }

  /** Takes the server's draw after this text: a draw that was put back, or the draw of the last pass. */
  take(text: readonly TokenId[]): ServerDraw | null {
    const came = this.#model.takeServerDraw?.() ?? null;
    const back = this.#putBack;
    // A longer text has the tokens of the question.
    if (back === null || text.length > back.text.length) return came;
    this.#putBack = null;
    const isSameText =
      text.length === back.text.length && text.every((token, place) => token === back.text[place]);
    return isSameText ? back.draw : came;
  }

  /**
   * A hidden question takes the place of the drawn token. Once the question is erased, the same token comes: if the server drew
   * again, a token at which a mod asks something would become less likely.
   */
  putBack(text: readonly TokenId[], draw: ServerDraw | null): void {
    this.#putBack = draw && { text: [...text], draw };
  }
}
