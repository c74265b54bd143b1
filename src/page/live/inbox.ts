/**
 * Handles a watcher's incoming frames: joins them into messages, reads these in slices of the page's time, and
 * confirms them. It ends the connection if a sharer sends more than an honest sharer does (`liveLimits`): more than
 * there was room for, or small messages faster than a run makes them.
 */
import { nextTask } from "../../core/base/next-task.ts";
import { type Allowance, createAllowance } from "./allowance.ts";
import { createUnframing } from "./framing.ts";
import { LiveError, liveLimits } from "./limits.ts";

export interface InboxEnd {
  /** Reads one message. If it throws, the connection ends. */
  read(text: string): void;
  /** Called when further messages have been read, with their number. */
  confirm(messages: number): void;
  /** The connection must be closed. Nothing more is read. */
  fail(cause: unknown): void;
  /** The other end is gone, and all that it sent has been read. */
  closed(): void;
}

export interface InboxOptions {
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
  /** Resolves in a later task of the page. */
  readonly pause?: () => Promise<void>;
}

export interface Inbox {
  frame(frame: Uint8Array): void;
  /** The other end is gone. */
  closed(): void;
  /** Nothing more is read. */
  stop(): void;
}

/** Milliseconds for which messages are read before the page may draw and hear its user. */
const sliceMs = 8;

interface Message {
  readonly text: string;
  readonly bytes: number;
}

interface Slice {
  /** When nothing more is read in it. */
  readonly end: number;
  readonly over: Promise<void>;
}

const { unconfirmed, confirmAfter, acceptPace, messageBytes, messagesInAll } = liveLimits;

/** A message of this many bytes fills as many frames, each of which has one byte of its own. */
const mostBytes = unconfirmed.bytes + messageBytes + Math.ceil(messageBytes / liveLimits.frameBytes) * 2;

export function createInbox(
  end: InboxEnd,
  { now = () => performance.now(), pause = nextTask }: InboxOptions = {},
): Inbox {
  return new WatcherInbox(end, createUnframing(messageBytes), createAllowance(acceptPace, now), {
    now,
    pause,
  });
}

class WatcherInbox implements Inbox {
  readonly #end: InboxEnd;
  readonly #unframe: (frame: Uint8Array) => string | null;
  readonly #pace: Allowance;
  readonly #time: Required<InboxOptions>;
  #waiting: Message[] = [];
  /** Bytes of all frames that are not read. */
  #bytes = 0;
  /** Bytes of the frames of a message whose last frame has not come. */
  #messageBytes = 0;
  /** Messages so far that came in one frame. */
  #small = 0;
  /** Messages that are read and not confirmed. */
  readonly #unconfirmed = { messages: 0, bytes: 0 };
  /** Lasts until the page had its turn. */
  #slice: Slice | null = null;
  #isReading = false;
  #isStopped = false;
  #isClosed = false;

  constructor(
    end: InboxEnd,
    unframe: (frame: Uint8Array) => string | null,
    pace: Allowance,
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
    "The page that shares this run sent more than this page had room for, so it was disconnected.",
  );
const tooFast = () =>
  new LiveError(
    "The page that shares this run sent messages faster than a run makes them, so it was disconnected.",
  );
const tooMany = () =>
  new LiveError(
    `The page that shares this run sent more than ${messagesInAll} messages. Open the link again to continue watching.`,
  );
