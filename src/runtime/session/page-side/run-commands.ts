/** What a user tells a request to do while it goes on: kept until the engine has the request, and sent again to another engine. */
import type { ControlMessage } from "../shared/protocol.ts";
import type { RunHandle } from "./session.ts";

type Word = Exclude<ControlMessage["type"], "setBreakpoints">;

export class RunCommands {
  readonly #requestId: string;
  readonly #post: (message: ControlMessage) => void;
  /** Those that are to be sent when the engine gets the request; null once it has them. */
  #waiting: ControlMessage[] | null = [];
  /** All so far, since the request may begin again. */
  readonly #given: ControlMessage[] = [];
  /** Of those, breakpoints aside: how many move the request. */
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

  /** The engine gets the request now, and with it what was asked meanwhile. */
  take(): readonly ControlMessage[] {
    const taken = this.#waiting ?? [];
    this.#waiting = null;
    return taken;
  }

  /** The request begins again, in another engine. */
  begin(): void {
    this.#waiting = [...this.#given];
  }

  /** Whether the engine that has heard so many moves has heard all: what it says of an earlier one is no longer so. */
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
