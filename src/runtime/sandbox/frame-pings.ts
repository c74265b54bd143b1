/**
 * The engine's end of a port to a guest's frame, whose thread returns every message (bootstrap.ts). A returned message shows
 * that the guest's process gets processor time. A mod runs in a worker of the frame: it can neither reach this port nor keep
 * the frame's thread busy.
 */
export class FramePings {
  readonly #port: MessagePort;
  #sent = 0;
  #onReply: () => void = () => undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (data === this.#sent) this.#onReply();
    };
  }

  /** Sends a ping and calls `onAnswer` when it is answered. Answers to earlier pings are then ignored. */
  send(onReply: () => void): void {
    this.#onReply = onReply;
    this.#sent += 1;
    this.#port.postMessage(this.#sent);
  }

  close(): void {
    this.#port.onmessage = null;
    this.#port.close();
  }
}
