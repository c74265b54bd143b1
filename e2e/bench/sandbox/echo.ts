/** The rival of three mods: guests in the same kind of frame and worker that send back what the mods once sent, and do nothing else. */

import type { WireEvent } from "../../../src/core/sdk/wire-event.ts";
import { createSandboxPool } from "../../../src/runtime/sandbox/frame.ts";
import type { EngineToGuest, GuestToEngine } from "../../../src/runtime/sandbox/protocol.ts";
import type { SandboxPool } from "../../../src/runtime/sandbox/sandbox-pool.ts";

type Question = Extract<EngineToGuest, { type: "events" }>;
type Reply = Extract<GuestToEngine, { type: "reply" }>;

/** The last message of each kind that went to one mod, and the mod's reply to it. */
export interface Traffic {
  readonly questions: Partial<Record<WireEvent["type"], Question>>;
  readonly replies: Partial<Record<WireEvent["type"], Reply>>;
}

/** The guest's whole program. A mask is copied and handed over, as a mod's is. */
const echoProgram = `"use strict";
self.addEventListener("message", ({ ports: [port] }) => {
  if (!port) return;
  let replies = {};
  port.onmessage = ({ data }) => {
    if (data.type === "replies") {
      replies = data.replies;
      return;
    }
    const reply = replies[data.events[0].type];
    const mask = reply.action.edit?.mask?.slice();
    if (!mask) return port.postMessage(reply);
    const edit = { ...reply.action.edit, mask };
    port.postMessage({ ...reply, action: { ...reply.action, edit } }, [mask.buffer]);
  };
});
postMessage("awake");
`;

export function createEchoPool(document: Document): SandboxPool {
  return createSandboxPool({ document, program: echoProgram });
}

/** Notes what goes over a port, until `stop`. Nothing of it is changed. */
export function listenIn(port: MessagePort): { readonly traffic: Traffic; stop(): void } {
  const traffic: Traffic = { questions: {}, replies: {} };
  const asked = new Map<number, WireEvent["type"]>();
  const post = port.postMessage;
  port.postMessage = (message: EngineToGuest, transfer: unknown) => {
    // A loop that computes asks one question at a time.
    if (message.type === "events" && message.events[0]) {
      const [{ type }] = message.events;
      traffic.questions[type] = structuredClone(message);
      asked.set(message.sequence, type);
    }
    Reflect.apply(post, port, [message, transfer]);
  };
  const hear = ({ data }: MessageEvent<GuestToEngine>): void => {
    const type = data.type === "reply" ? asked.get(data.sequence) : undefined;
    if (data.type === "reply" && type !== undefined) traffic.replies[type] = structuredClone(data);
  };
  port.addEventListener("message", hear);
  return {
    traffic,
    stop() {
      port.removeEventListener("message", hear);
      port.postMessage = post;
    },
  };
}

/** The engine's end of one echo. */
export class EchoHost {
  readonly #port: MessagePort;
  readonly #traffic: Traffic;
  #settle: () => void = () => undefined;

  constructor(port: MessagePort, traffic: Traffic) {
    this.#port = port;
    this.#traffic = traffic;
    port.onmessage = () => this.#settle();
    port.postMessage({ type: "replies", replies: traffic.replies });
  }

  /** Sends what the mod was sent; settles when as much came back. @throws Error when the mod was never asked about this. */
  ask(type: WireEvent["type"]): Promise<void> {
    const question = this.#traffic.questions[type];
    if (question === undefined) throw new Error(`No message about ${type} was noted.`);
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#port.postMessage(question);
    });
  }

  dispose(): void {
    this.#port.close();
  }
}
