/** Sends a request with `node:http` alone, over one connection that stays open, and reads the answer's bytes. */
import { Agent, request } from "node:http";
import { serverMsIn } from "./timed-steps.ts";

export interface BareClient {
  send(body: string): Promise<void>;
  /** Milliseconds of each request over what the server says. */
  readonly overMs: readonly number[];
  close(): void;
}

export function bareClient(url: string): BareClient {
  const agent = new Agent({ keepAlive: true });
  const overMs: number[] = [];
  return {
    overMs,
    async send(body) {
      const start = performance.now();
      const answer = await answerTo(url, body, agent);
      overMs.push(performance.now() - start - serverMsIn(answer.toString("latin1")));
    },
    close: () => agent.destroy(),
  };
}

function answerTo(url: string, body: string, agent: Agent): Promise<Buffer> {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.once("end", () => resolve(Buffer.concat(pieces)));
      response.once("error", reject);
    });
    sent.once("error", reject);
    sent.setNoDelay(true);
    sent.end(body);
  });
}
