/** The controls of requests that run or wait, so that a request can be stopped before it starts. Passes messages to them. */
import type { ControlMessage, EngineMessage } from "../shared/protocol.ts";
import { createRunControl, type RunControl, type RunControlOptions } from "../shared/run-control.ts";

interface Controlled {
  readonly control: RunControl;
  /** Number of received messages that move the request (see `heard` in protocol.ts). */
  heard: number;
}

export class RunControlRegistry {
  readonly #byRequest = new Map<string, Controlled>();

  /** `send` gets the messages `paused` and `caughtUp`. */
  create(
    requestId: string,
    { send, ...options }: RunControlOptions & { readonly send: (message: EngineMessage) => void },
  ): RunControl {
    const controlled: Controlled = {
      heard: 0,
      control: createRunControl({
        ...options,
        onPaused: (pause) => send({ type: "paused", requestId, pause, heard: controlled.heard }),
        onCaughtUp: (share) => send({ type: "caughtUp", requestId, share }),
      }),
    };
    this.#byRequest.set(requestId, controlled);
    return controlled.control;
  }

  stopAll(): void {
    for (const { control } of this.#byRequest.values()) control.stop();
  }

  /** Called when the request has ended. */
  delete(requestId: string): void {
    this.#byRequest.delete(requestId);
  }

  receive(message: ControlMessage | { readonly type: "stop"; readonly requestId: string }): void {
    const controlled = this.#byRequest.get(message.requestId);
    if (!controlled) return;
    const { control } = controlled;
    if (message.type === "setBreakpoints") control.setBreakpoints(message.breakpoints);
    else if (message.type === "stop") control.stop();
    else {
      controlled.heard += 1;
      control[message.type]();
    }
  }
}
