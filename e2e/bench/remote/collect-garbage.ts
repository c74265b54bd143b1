/** Collects the garbage of a Node process and of its threads, by Node's inspector: memory then shows what is held, not what was used. */
import WebSocket from "ws";
import type { GatewayProcess } from "../../../scripts/testing/gateway-process.ts";

/** The inspector takes a free port when SIGUSR1 opens it. */
export const inspectable = ["--inspect-port=0"];

/** Milliseconds in which threads report themselves. */
const attachMs = 2_000;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly message?: string };
}

/** The process was started with `inspectable`. */
export async function collectGarbage(gateway: GatewayProcess): Promise<void> {
  const socket = new WebSocket(await inspectorAddress(gateway));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  const threads: string[] = [];
  const answered = new Map<string, () => void>();
  socket.on("message", (data) => {
    const { id, method, params } = JSON.parse(String(data)) as Message;
    if (method === "NodeWorker.attachedToWorker") threads.push(params?.sessionId ?? "");
    if (method === "NodeWorker.receivedMessageFromWorker") answered.get(params?.sessionId ?? "")?.();
    if (id !== undefined) answered.get(String(id))?.();
  });
  let last = 0;
  /** Settles with the answer to the call, or with the first message of the thread `from`. */
  const call = (method: string, params: object = {}, from?: string): Promise<void> => {
    const id = ++last;
    return new Promise((resolve) => {
      answered.set(from ?? String(id), resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  await call("NodeWorker.enable", { waitForDebuggerOnStart: false });
  await new Promise((resolve) => setTimeout(resolve, attachMs));
  const message = JSON.stringify({ id: 1, method: "HeapProfiler.collectGarbage" });
  for (const sessionId of threads)
    await call("NodeWorker.sendMessageToWorker", { sessionId, message }, sessionId);
  await call("HeapProfiler.collectGarbage");
  socket.close();
}

async function inspectorAddress(gateway: GatewayProcess): Promise<string> {
  process.kill(gateway.pid, "SIGUSR1");
  for (;;) {
    const address = /ws:\/\/\S+/.exec(gateway.output())?.[0];
    if (address !== undefined) return address;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
