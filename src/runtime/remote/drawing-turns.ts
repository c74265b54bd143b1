/**
 * Decides at which steps of a request the server draws the tokens that it makes. A drawn token is a good guess of the next token
 * as long as the loop takes it. Where mods change the logits at every step, the loop draws from the changed logits itself, and the
 * most likely token is the better guess. So after drawn tokens that were not taken, the server makes its most likely tokens until
 * several steps in a row would have taken a drawn one.
 */
import type { ServerDrawing } from "../../core/decoder/ports/listed-logits.ts";
import { StreamPolicy } from "./stream-guess.ts";

export class DrawingTurns {
  readonly #drawing: ServerDrawing | null;
  /** The same counts as for streams: a stream that is cut early, and the steps until the next one. */
  readonly #policy = new StreamPolicy();
  #takenInARow = 0;

  /** @param drawing null: the server never draws */
  constructor(drawing: ServerDrawing | null) {
    this.#drawing = drawing;
  }

  /** The settings with which the server draws the next token; null: it makes its most likely token. */
  get drawing(): ServerDrawing | null {
    return this.#policy.isWorthwhile ? this.#drawing : null;
  }

  /** @param isTaken see `LanguageModel.noteServerDraw` */
  note(isTaken: boolean): void {
    if (!this.#policy.isWorthwhile) this.#policy.noteStep(isTaken);
    else if (isTaken) this.#takenInARow += 1;
    else {
      this.#policy.noteCut(this.#takenInARow);
      this.#takenInARow = 0;
    }
  }
}
