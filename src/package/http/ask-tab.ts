/** The service worker's side: sends a request to the tab that has the engine; if this tab ends, to the next one. */
import { ApiError } from "../api/api-error.ts";
import { errorBody, errorResponse, parseErrorBody } from "./http-error.ts";
import { bodyLimit, readBytes } from "./read-json-body.ts";
import {
  clientOfLock,
  leaderLockName,
  type TabPortMessage,
  type TabRequest,
  type WorkerPortMessage,
} from "./tab-link.ts";

/** The used functions of an open page. */
export interface TabClient {
  postMessage(message: TabRequest, transfer: Transferable[]): void;
}

export interface AskTabDependencies {
  readonly locks: Pick<LockManager, "query" | "request">;
  readonly clients: { get(id: string): Promise<TabClient | undefined> };
  /** The scope of the worker's registration. */
  readonly scope: string;
}

export interface TabResponse {
  readonly response: Response;
  /** Settles when the answer was read to its end, or nobody reads it any more. */
  readonly done: Promise<void>;
}

/** A tab that waits for its turn gets it at once, so a short search is enough: this many attempts, `lookMs` apart. */
const mostLooks = 40;
const lookMs = 50;
/** The most bytes of a request; the handler in the tab may accept fewer. */
const mostBytes = 32 * 1_048_576;

/** Never rejects: if no tab answers, or the tab ends, the answer is an error in OpenAI's format. */
export async function askServingTab(request: Request, ports: AskTabDependencies): Promise<TabResponse> {
  try {
    const message = {
      ...({ midtoken: "request", url: request.url, method: request.method } as const),
      headers: [...request.headers],
      body: request.body === null ? null : await readBytes(request, bodyLimit(mostBytes)),
    };
    return responseOf(await openResponse(message, request.signal, ports), () =>
      openResponse(message, request.signal, ports),
    );
  } catch (error) {
    return { response: errorResponse(error), done: Promise.resolve() };
  }
}

/**
 * Opens the answer of the first tab that gives one. If a tab ends before it has sent the head of the answer, the next tab
 * answers from the start.
 * @throws ApiError, 503, if no tab has an engine
 */
async function openResponse(
  message: Omit<TabRequest, "lock">,
  signal: AbortSignal,
  ports: AskTabDependencies,
): Promise<Opened> {
  for (let found = await servingTab(ports); found; found = await servingTab(ports)) {
    const opened = await ask(found, message, signal, ports);
    if (opened) return opened;
  }
  throw new ApiError(
    "No open page of this site has an engine: open the page that calls serveFromThisTab, and keep it open.",
    { status: 503, type: "engine_error", code: "no_engine" },
  );
}

interface ServingTab {
  readonly tab: TabClient;
  /** Name of the lock that the tab holds while it exists. */
  readonly lock: string;
}

/** The tab that answers; null if no tab has an engine or waits for its turn. */
async function servingTab({ locks, clients, scope }: AskTabDependencies): Promise<ServingTab | null> {
  for (let look = 0; look < mostLooks; look++) {
    const { held = [], pending = [] } = await locks.query();
    const leader = held.find(({ name }) => name === leaderLockName(scope));
    for (const { name: lock = "", clientId } of leader ? held : []) {
      const client = clientId === leader?.clientId ? clientOfLock(lock, scope) : null;
      const tab = client === null ? undefined : await clients.get(client);
      if (tab) return { tab, lock };
    }
    if (!leader && !pending.some(({ name }) => name === leaderLockName(scope))) return null;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return null;
}

/** Null if the tab ended before it answered. Rejects with the signal's reason. */
async function ask(
  { tab, lock }: ServingTab,
  message: Omit<TabRequest, "lock">,
  signal: AbortSignal,
  { locks }: AskTabDependencies,
): Promise<Opened | null> {
  const { port1: port, port2 } = new MessageChannel();
  const heard = new Heard(port);
  const send = (word: WorkerPortMessage): void => port.postMessage(word);
  const leave = new AbortController();
  // We get the lock when the tab has ended, and release it at once.
  locks.request(lock, { signal: leave.signal }, () => heard.end()).catch(() => undefined);
  const over = (): void => {
    leave.abort();
    signal.removeEventListener("abort", abort);
    port.close();
  };
  const abort = (): void => {
    send({ type: "cancel" });
    heard.end();
  };
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  tab.postMessage({ ...message, lock }, [port2]);
  const head = await heard.next();
  if (head?.type !== "head") {
    over();
    signal.throwIfAborted();
    if (head === null) return null;
    const why = head.type === "failed" ? head.message : "its response had no headers";
    throw new ApiError(`The page with the engine could not answer: ${why}.`, {
      status: 500,
      type: "engine_error",
      code: "engine_failed",
    });
  }
  return { head, link: { heard, send, over }, isAborted: () => signal.aborted };
}

/** The port to a tab. */
interface Link {
  readonly heard: Heard;
  send(word: WorkerPortMessage): void;
  over(): void;
}

interface Opened {
  readonly head: Extract<TabPortMessage, { type: "head" }>;
  readonly link: Link;
  /** Whether the client has left. */
  isAborted(): boolean;
}

/** @param again opens the answer of the next tab */
function responseOf({ head, link, isAborted }: Opened, again: () => Promise<Opened>): TabResponse {
  const init = {
    status: head.status,
    headers: head.headers.map(([name, value]): [string, string] => [name, value]),
  };
  if (!head.hasBody) {
    link.over();
    return { response: new Response(null, init), done: Promise.resolve() };
  }
  const isEvents = isEventStream(head);
  const reading: Reading = { link, hasBegun: !isEvents, isAborted, again };
  let finish = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    finish = () => {
      reading.link.over();
      resolve();
    };
  });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const bytes = await nextPiece(reading);
          if (bytes) {
            controller.enqueue(bytes);
            return;
          }
          finish();
          controller.close();
        } catch (error) {
          finish();
          if (!isEvents) return controller.error(error);
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(errorBody(error))}\n\n`));
          controller.close();
        }
      },
      cancel() {
        reading.link.send({ type: "cancel" });
        finish();
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body, init), done };
}

/** The state of reading an answer. */
interface Reading {
  /** The connection to the tab that answers now. */
  link: Link;
  /** Whether the client has received more of the answer than comments. */
  hasBegun: boolean;
  readonly isAborted: () => boolean;
  readonly again: () => Promise<Opened>;
}

/**
 * The next piece; null after the last one. If a tab ends after it has sent only comments, the next tab answers instead.
 * @throws ApiError if the answer is incomplete
 */
async function nextPiece(reading: Reading): Promise<Uint8Array | null> {
  reading.link.send({ type: "pull" });
  let word = await reading.link.heard.next();
  while (word === null && !reading.hasBegun && !reading.isAborted()) {
    reading.link.over();
    reading.link = await reopen(reading.again);
    reading.link.send({ type: "pull" });
    word = await reading.link.heard.next();
  }
  if (word?.type === "failed") throw new Error(word.message);
  if (word?.type !== "piece") throw tabClosed();
  reading.hasBegun ||= word.bytes !== null && word.bytes[0] !== commentSign;
  return word.bytes;
}

const encoder = new TextEncoder();
const commentSign = ":".charCodeAt(0);

function isEventStream({ headers }: Opened["head"]): boolean {
  const types = headers.filter(([name]) => name.toLowerCase() === "content-type");
  return types.some(([, type]) => type.startsWith("text/event-stream"));
}

/**
 * The events of the next tab, for a stream whose head was already sent. @throws ApiError if that tab answers with an error
 */
async function reopen(again: () => Promise<Opened>): Promise<Link> {
  const { head, link } = await again();
  if (isEventStream(head)) return link;
  link.send({ type: "pull" });
  const word = await link.heard.next();
  link.over();
  const text = word?.type === "piece" && word.bytes ? new TextDecoder().decode(word.bytes) : "{}";
  throw parseErrorBody(text, head.status);
}

const tabClosed = (): ApiError =>
  new ApiError(
    "The page with the engine was closed before it had answered. Try again: another open page with an engine will answer.",
    { status: 503, type: "engine_error", code: "engine_closed" },
  );

/** Yields the messages of a port one after the other; null when the port has ended. */
class Heard {
  readonly #words: TabPortMessage[] = [];
  #isOver = false;
  #wake: (() => void) | null = null;

  constructor(port: MessagePort) {
    port.onmessage = ({ data }: MessageEvent<TabPortMessage>) => {
      this.#words.push(data);
      this.#wake?.();
    };
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async next(): Promise<TabPortMessage | null> {
    for (;;) {
      const word = this.#words.shift();
      if (word) return word;
      if (this.#isOver) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
