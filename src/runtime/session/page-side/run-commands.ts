/** The user's commands to a running request: stored until the engine has the request, and sent again to a replacement engine. */
import type { ControlMessage } from "../shared/protocol.ts";
import type { RunHandle } from "./session.ts";

type Word = Exclude<ControlMessage["type"], "setBreakpoints">;

export class RunCommands {
  readonly #requestId: string;
  readonly #post: (message: ControlMessage) => void;
  /** Commands to send when the engine gets the request; null once it has them. */
  #waiting: ControlMessage[] | null = [];
  /** All so far, since the request may begin again. */
  readonly #given: ControlMessage[] = [];
  /** The number of commands that move the request; breakpoints do not count. */
  #moves = 0;

  constructor(requestId: string, post: (message: ControlMessage) => void) {
    this.#requestId = requestId;
    this.#post = post;
  }

  readonly handle: Pick<RunHandle, Word | "setBreakpoints"> = {
    pause: () => this.#move("pause"),
    resume: () => this.#move("resume"),
    stepOnce: () => this.#move("stepOnce"),
    stepEvent: () => this.#move("stepEvent"),
    setBreakpoints: (breakpoints) =>
      this.#give({ type: "setBreakpoints", requestId: this.#requestId, breakpoints }),
  };

  /** The engine gets the request now, together with the commands that were given meanwhile. */
  take(): readonly ControlMessage[] {
    const taken = this.#waiting ?? [];
    this.#waiting = null;
    return taken;
  }

  /** The request begins again, in another engine. */
  begin(): void {
    this.#waiting = [...this.#given];
  }

  /**
   * Whether the engine has received all commands that move the request. If not, its message is about an earlier command and is
   * out of date.
   */
  isUpToDate(heard: number): boolean {
    return heard === this.#moves;
  }

  #move(type: Word): void {
    this.#moves += 1;
    this.#give({ type, requestId: this.#requestId });
  }

  #give(message: ControlMessage): void {
    this.#given.push(message);
    if (this.#waiting) this.#waiting.push(message);
    else this.#post(message);
  }
}
