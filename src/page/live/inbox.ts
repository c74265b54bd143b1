/**
 * Handles a watcher's incoming frames: joins frames into messages, reads the messages in short slices so that the page stays
 * responsive, and confirms them. Ends the connection if the sharer breaks `liveLimits`: if it sends more than the confirmations
 * allow, or small messages faster than a run produces them.
 */
import { nextTask } from "../../core/base/next-task.ts";
import { createRateLimiter, type RateLimiter } from "./allowance.ts";
import { createFrameJoiner } from "./framing.ts";
import { LiveError, liveLimits } from "./limits.ts";

export interface InboxCallbacks {
  /** Reads one message. If it throws, the connection ends. */
  read(text: string): void;
  /** Called after messages were read, with the number of messages since the last call. */
  confirm(messages: number): void;
  /** Something went wrong: the caller must close the connection. The inbox reads nothing more. */
  fail(cause: unknown): void;
  /** The other end has closed the connection, and all of its messages have been read. */
  closed(): void;
}

export interface InboxOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Resolves in a later task of the page. */
  readonly pause?: () => Promise<void>;
}

export interface Inbox {
  frame(frame: Uint8Array): void;
  /** The other end has closed the connection. */
  closed(): void;
  /** Stops reading. */
  stop(): void;
}

/** Milliseconds for which messages are read before the page may draw and handle input. */
const sliceMs = 8;

interface Message {
  readonly text: string;
  readonly bytes: number;
}

interface Slice {
  /** The time at which the slice ends. */
  readonly end: number;
  readonly over: Promise<void>;
}

const { unconfirmed, confirmAfter, acceptPace, messageBytes, messagesInAll } = liveLimits;

/** Bytes that may wait unread: what may be unconfirmed, one whole message, and the first byte of each frame. */
const mostBytes = unconfirmed.bytes + messageBytes + Math.ceil(messageBytes / liveLimits.frameBytes) * 2;

export function createWatcherInbox(
  end: InboxCallbacks,
  { now = () => performance.now(), pause = nextTask }: InboxOptions = {},
): Inbox {
  return new WatcherInbox(end, createFrameJoiner(messageBytes), createRateLimiter(acceptPace, now), {
    now,
    pause,
  });
}

class WatcherInbox implements Inbox {
  readonly #end: InboxCallbacks;
  readonly #unframe: (frame: Uint8Array) => string | null;
  readonly #pace: RateLimiter;
  readonly #time: Required<InboxOptions>;
  #waiting: Message[] = [];
  /** Bytes of all frames that are not read yet. */
  #bytes = 0;
  /** Bytes of the frames of an incomplete message. */
  #messageBytes = 0;
  /** Number of messages so far that fitted into one frame. */
  #small = 0;
  /** Messages that were read but not confirmed yet. */
  readonly #unconfirmed = { messages: 0, bytes: 0 };
  /** The current slice; null after the page has had its turn. */
  #slice: Slice | null = null;
  #isReading = false;
  #isStopped = false;
  #isClosed = false;

  constructor(
    end: InboxCallbacks,
    unframe: (frame: Uint8Array) => string | null,
    pace: RateLimiter,
    time: Required<InboxOptions>,
  ) {
    this.#end = end;
    this.#unframe = unframe;
    this.#pace = pace;
    this.#time = time;
  }

  frame(frame: Uint8Array): void {
    if (this.#isStopped || this.#isClosed) return;
    try {
      this.#accept(frame);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  closed(): void {
    if (this.#isStopped || this.#isClosed) return;
    this.#isClosed = true;
    if (!this.#isReading) this.#end.closed();
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting = [];
    this.#bytes = 0;
  }

  #accept(frame: Uint8Array): void {
    this.#bytes += frame.length;
    if (this.#bytes > mostBytes) throw tooMuch();
    const text = this.#unframe(frame);
    this.#messageBytes += frame.length;
    if (text === null) return;
    if (this.#messageBytes === frame.length) {
      this.#small += 1;
      if (!this.#pace.take()) throw tooFast();
      if (this.#small > messagesInAll) throw tooMany();
    }
    this.#waiting.push({ text, bytes: this.#messageBytes });
    this.#messageBytes = 0;
    if (this.#waiting.length > unconfirmed.messages + unconfirmed.slack) throw tooMuch();
    if (!this.#isReading) void this.#readAll();
  }

  #fail(cause: unknown): void {
    if (this.#isStopped) return;
    this.stop();
    this.#end.fail(cause);
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.length > 0) {
      if (this.#slice && this.#time.now() >= this.#slice.end) await this.#slice.over;
      const next = this.#waiting.shift();
      if (!next) break;
      this.#slice ??= this.#beginSlice();
      this.#readOne(next);
    }
    this.#isReading = false;
    if (this.#isClosed && !this.#isStopped) this.#end.closed();
  }

  #beginSlice(): Slice {
    const over = this.#time.pause().then(() => {
      this.#slice = null;
    });
    return { end: this.#time.now() + sliceMs, over };
  }

  #readOne({ text, bytes }: Message): void {
    this.#bytes -= bytes;
    try {
      this.#end.read(text);
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    this.#unconfirmed.messages += 1;
    this.#unconfirmed.bytes += bytes;
    if (!this.#isStopped) this.#confirm();
  }

  #confirm(): void {
    const { messages, bytes } = this.#unconfirmed;
    if (this.#isClosed || (messages < confirmAfter.messages && bytes < confirmAfter.bytes)) return;
    this.#end.confirm(messages);
    Object.assign(this.#unconfirmed, { messages: 0, bytes: 0 });
  }
}

const tooMuch = () =>
  new LiveError(
    "The page that shares this run sent more data than this page had room for, so the connection was closed. Open the link again.",
  );
const tooFast = () =>
  new LiveError(
    "The page that shares this run sent messages faster than a run produces them, so the connection was closed. Open the link again.",
  );
const tooMany = () =>
  new LiveError(
    `The page that shares this run sent more than ${messagesInAll} messages. Open the link again to continue watching.`,
  );
