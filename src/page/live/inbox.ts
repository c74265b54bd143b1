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

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one connection
export function createInbox(
  end: InboxEnd,
  { now = () => performance.now(), pause = nextTask }: InboxOptions = {},
): Inbox {
  const unframe = createUnframing(messageBytes);
  const pace: Allowance = createAllowance(acceptPace, now);
  let waiting: Message[] = [];
  /** Bytes of all frames that are not read. */
  let bytes = 0;
  let ofThisMessage = 0;
  let small = 0;
  const read = { messages: 0, bytes: 0 };
  /** Lasts until the page had its turn. */
  let slice: Slice | null = null;
  let isReading = false;
  let isStopped = false;
  let isClosed = false;

  const stop = () => {
    isStopped = true;
    waiting = [];
    bytes = 0;
  };
  const fail = (cause: unknown) => {
    if (isStopped) return;
    stop();
    end.fail(cause);
  };
  const confirm = () => {
    if (isClosed || (read.messages < confirmAfter.messages && read.bytes < confirmAfter.bytes)) return;
    end.confirm(read.messages);
    Object.assign(read, { messages: 0, bytes: 0 });
  };
  const readOne = ({ text, bytes: size }: Message) => {
    bytes -= size;
    try {
      end.read(text);
    } catch (cause) {
      return fail(cause);
    }
    read.messages += 1;
    read.bytes += size;
    if (!isStopped) confirm();
  };
  const beginSlice = (): Slice => {
    const over = pause().then(() => {
      slice = null;
    });
    return { end: now() + sliceMs, over };
  };
  const readAll = async () => {
    isReading = true;
    while (waiting.length > 0) {
      if (slice && now() >= slice.end) await slice.over;
      const next = waiting.shift();
      if (!next) break;
      slice ??= beginSlice();
      readOne(next);
    }
    isReading = false;
    if (isClosed && !isStopped) end.closed();
  };
  const accept = (frame: Uint8Array) => {
    bytes += frame.length;
    if (bytes > mostBytes) throw tooMuch();
    const text = unframe(frame);
    ofThisMessage += frame.length;
    if (text === null) return;
    if (ofThisMessage === frame.length) {
      small += 1;
      if (!pace.take()) throw tooFast();
      if (small > messagesInAll) throw tooMany();
    }
    waiting.push({ text, bytes: ofThisMessage });
    ofThisMessage = 0;
    if (waiting.length > unconfirmed.messages + unconfirmed.slack) throw tooMuch();
    if (!isReading) void readAll();
  };
  return {
    frame(frame) {
      if (isStopped || isClosed) return;
      try {
        accept(frame);
      } catch (cause) {
        fail(cause);
      }
    },
    closed() {
      if (isStopped || isClosed) return;
      isClosed = true;
      if (!isReading) end.closed();
    },
    stop,
  };
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
