/** The service worker's side of an answer, with tabs that end: the next tab continues as long as the client has received only comments. */
import { describe, expect, test } from "vitest";
import { type AskTabDependencies, askServingTab, type TabClient } from "./ask-tab.ts";
import { respondOverPort } from "./respond-over-port.ts";
import { leaderLockName, newTabLockName, type TabRequest } from "./tab-link.ts";

const scope = "https://site.example/";
type Handler = (request: Request) => Promise<Response>;

/** Tabs with engines; the first one leads. Includes the part of Web Locks that the worker uses. */
function openTabs(handlers: readonly Handler[]) {
  const tabs = handlers.map((handler, index) => {
    const gone = new AbortController();
    const tab: TabClient = {
      postMessage({ ...message }: TabRequest, [port]: Transferable[]) {
        void respondOverPort(handler, message, port as MessagePort, gone.signal);
      },
    };
    return { tab, id: `tab-${index}`, lock: newTabLockName(scope, `tab-${index}`), gone };
  });
  const open = () => tabs.filter(({ gone }) => !gone.signal.aborted);
  const ports: AskTabDependencies = {
    scope,
    clients: { get: async (id) => open().find((each) => each.id === id)?.tab },
    locks: {
      async query() {
        const [leader] = open();
        if (!leader) return { held: [], pending: [] };
        return {
          held: [leaderLockName(scope), leader.lock].map((name) => ({
            name,
            clientId: leader.id,
            mode: "exclusive",
          })),
          pending: [],
        } as LockManagerSnapshot;
      },
      // Granted when the tab with the lock ends.
      request: (async (name: string, _options: LockOptions, granted: () => void) => {
        const holder = tabs.find(({ lock }) => lock === name);
        holder?.gone.signal.addEventListener("abort", () => granted());
      }) as unknown as LockManager["request"],
    },
  };
  return { ports, close: (index: number) => tabs[index]?.gone.abort() };
}

/** Events that arrive when they are read; "wait" never arrives. */
const events =
  (...parts: readonly string[]): Handler =>
  async () => {
    const left = [...parts];
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const part = left.shift();
      if (part === "wait") await new Promise(() => undefined);
      else if (part === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(part));
    };
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };

const comment = ": keep-alive\n\n";
const request = () => new Request(`${scope}v1/chat/completions`, { method: "POST", body: "{}" });

async function opened(handlers: readonly Handler[]) {
  const { ports, close } = openTabs(handlers);
  const { response, done } = await askServingTab(request(), ports);
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  return { response, done, reader, read, close };
}

describe("a tab that ends", () => {
  test("after comments alone: the next tab's events follow on the same stream", async () => {
    const { read, reader, done, close } = await opened([
      events(comment, "wait"),
      events(comment, "data: 1\n\n", "data: [DONE]\n\n"),
    ]);
    expect(await read()).toBe(comment);
    const next = read();
    close(0);
    expect([await next, await read(), await read()]).toEqual([comment, "data: 1\n\n", "data: [DONE]\n\n"]);
    expect((await reader.read()).done).toBe(true);
    await done;
  });

  test("after comments alone, and no other tab has an engine: the stream ends with the error", async () => {
    const { read, reader, done, close } = await opened([events(comment, "wait")]);
    await read();
    const next = read();
    close(0);
    expect(await next).toMatch(/^data: \{"error":\{.*"code":"no_engine".*\}\n\n$/);
    expect((await reader.read()).done).toBe(true);
    await done;
  });

  test("after comments alone, and the next tab refuses: the stream ends with its error", async () => {
    const error = {
      message: "There is no model.",
      type: "not_found_error",
      code: "model_not_found",
      param: "model",
    };
    const { read, close } = await opened([
      events(comment, "wait"),
      async () => Response.json({ error }, { status: 404 }),
    ]);
    await read();
    const next = read();
    close(0);
    expect(await next).toBe(`data: ${JSON.stringify({ error })}\n\n`);
  });

  test("after a piece: the stream ends with an error, and no other tab is asked", async () => {
    let asked = 0;
    const { read, reader, close } = await opened([
      events(comment, "data: 1\n\n", "wait"),
      async () => {
        asked += 1;
        return new Response();
      },
    ]);
    expect([await read(), await read()]).toEqual([comment, "data: 1\n\n"]);
    const next = read();
    close(0);
    expect(await next).toContain('"code":"engine_closed"');
    expect([(await reader.read()).done, asked]).toEqual([true, 0]);
  });
});
