/** A guest that a test defines, at the other end of a real port, to break the protocol. */
import { afterEachTest } from "../../../../scripts/unit-tests/after-each-test.ts";
import type { ModHost } from "../../../core/decoder/ports/mod-host.ts";
import type { Fields } from "../parse-values.ts";
import { connectModHost } from "../port-mod-host.ts";
import type { EngineToGuest } from "../protocol.ts";
import { lettersTokenizer } from "./letters.ts";
import { createTestFrame } from "./test-frame.ts";

type Init = Extract<EngineToGuest, { type: "init" }>;
type Events = Extract<EngineToGuest, { type: "events" }>;
export type Post = (message: unknown, transfer?: Transferable[]) => void;

/** The behaviour of a hostile guest. Without a handler for a message, the guest behaves well. */
export interface HostileGuestBehaviour {
  onInit?(init: Init, post: Post): void;
  onEvent?(reply: Fields & { run: number; sequence: number }, post: Post): void;
}

const ends: { close(): void }[] = [];
afterEachTest(() => {
  for (const port of ends.splice(0)) port.close();
});

const about = {
  label: "test.ts",
  reads: {
    logits: false,
    topK: true,
    hiddenState: false,
    output: false,
    conversation: false,
    strategies: false,
    bans: false,
  },
  mappings: "",
};
export const readyMessage = {
  type: "ready",
  name: "hostile",
  handles: ["added", "forwardPass"],
  needs: { topK: 64, logits: false },
  console: [],
};

export async function startHostileGuest({
  onInit,
  onEvent,
}: HostileGuestBehaviour): Promise<{ readonly host: ModHost; readonly state: { readonly kills: number } }> {
  const { port1, port2 } = new MessageChannel();
  const frame = createTestFrame();
  ends.push(port2, frame);
  const state = { kills: 0 };
  const post: Post = (message, transfer = []) => port2.postMessage(message, transfer);
  port2.onmessage = ({ data }: MessageEvent<Init | Events>) => {
    if (data.type === "init") {
      if (onInit) onInit(data, post);
      else post({ ...readyMessage, run: data.run });
    } else {
      const { run, sequence } = data;
      const reply = {
        type: "reply",
        run,
        sequence,
        action: { type: "noop" },
        fault: null,
        builtAt: null,
        console: [],
      };
      if (onEvent) onEvent(reply, post);
      else post(reply);
    }
  };
  const ports = { port: port1, pingPort: frame.pingPort };
  const host = await connectModHost(ports, {
    name: "hostile",
    about,
    seed: 1,
    tokenizerData: lettersTokenizer,
    deadlines: { load: 60_000, prefilled: 60_000, event: 60_000 },
    onKill: () => {
      state.kills += 1;
    },
  });
  return { host, state };
}
