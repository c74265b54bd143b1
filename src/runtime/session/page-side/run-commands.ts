/** The user's commands to a running request. They are stored until the engine has the request, and sent again if a new engine replaces it. */
import { checkBreakpoints } from "../shared/breakpoint.ts";
import type { ControlMessage } from "../shared/protocol.ts";
import type { RunHandle } from "./session.ts";

type Word = Exclude<ControlMessage["type"], "setBreakpoints">;

export class RunCommands {
  readonly #requestId: string;
  readonly #post: (message: ControlMessage) => void;
  /** Commands to send together with the request; null after it was sent. */
  #waiting: ControlMessage[] | null = [];
  /** All commands so far, because the request may begin again. */
  readonly #given: ControlMessage[] = [];
  /** Number of commands that move the request; breakpoints do not count. */
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
    setBreakpoints: (breakpoints) => {
      checkBreakpoints(breakpoints);
      this.#give({ type: "setBreakpoints", requestId: this.#requestId, breakpoints });
    },
  };

  /** Called when the request is sent to the engine. @returns the commands that were given before */
  take(): readonly ControlMessage[] {
    const taken = this.#waiting ?? [];
    this.#waiting = null;
    return taken;
  }

  /** Called when the request begins again in another engine. */
  begin(): void {
    this.#waiting = [...this.#given];
  }

  /**
   * Whether the engine has received all commands that move the request. If not, a message of the engine refers to an earlier
   * command and is outdated.
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
