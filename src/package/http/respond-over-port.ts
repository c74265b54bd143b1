/** Answers a request of the service worker over its port. Sends each piece when the worker asks for it. */
import { messageOf } from "../../core/base/message-of.ts";
import type { FetchHandler } from "./fetch-handler.ts";
import type { TabPortMessage, TabRequest, WorkerPortMessage } from "./tab-link.ts";

/**
 * Settles when the answer has ended. `signal`: aborted when this tab stops answering, which the worker learns from the tab's
 * lock.
 */
export async function respondOverPort(
  handler: FetchHandler,
  { url, method, headers, body }: TabRequest,
  port: MessagePort,
  signal: AbortSignal,
): Promise<void> {
  const cancelled = new AbortController();
  const gone = AbortSignal.any([cancelled.signal, signal]);
  const send = (word: TabPortMessage): void => {
    if (!gone.aborted) port.postMessage(word);
  };
  let pull = (): void => undefined;
  let asked = 0;
  port.onmessage = ({ data }: MessageEvent<WorkerPortMessage>) => {
    if (data.type === "cancel") cancelled.abort();
    else asked += 1;
    pull();
  };
  gone.addEventListener("abort", () => pull(), { once: true });
  const untilAsked = async (): Promise<void> => {
    while (asked === 0 && !gone.aborted) {
      await new Promise<void>((resolve) => {
        pull = resolve;
      });
    }
    asked -= 1;
  };
  try {
    const request = new Request(url, {
      method,
      headers: headers.map(([n, v]) => [n, v]),
      body,
      signal: gone,
    });
    const response = await handler(request);
    const reader = response.body?.getReader();
    send({
      type: "head",
      status: response.status,
      headers: [...response.headers],
      hasBody: reader !== undefined,
    });
    while (reader && !gone.aborted) {
      await untilAsked();
      if (gone.aborted) break;
      const { done, value } = await reader.read();
      // A copy in a buffer of its own, because the port moves the buffer.
      send({ type: "piece", bytes: done ? null : new Uint8Array(value) });
      if (done) break;
    }
    if (gone.aborted) await reader?.cancel();
  } catch (error) {
    send({ type: "failed", message: messageOf(error) });
  } finally {
    port.close();
  }
}
