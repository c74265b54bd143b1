/**
 * The first program in a guest's QuickJS. It defines those functions of a browser's worker that the guest's program uses,
 * and keeps copies of built-ins for texts, bytes and positions. The guest's program runs next, and removes everything from
 * the realm that a mod must not have (sandbox/scrub.ts); only the functions here can still reach the thread.
 */
import { pack, unpack } from "../clone-text.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { Utf8Decoder, Utf8Encoder } from "./utf8-codecs.ts";

/** The functions of the surrounding thread. Every value that crosses is a text or a block of bytes. */
export interface RealmHost {
  /** Receives the function that the thread calls to pass something in. */
  connect(deliver: DeliverToRealm): void;
  /** Sends a packed message to the engine. */
  post(text: string, bytes: ArrayBuffer): void;
  /** Sends the guest's one word. */
  announce(word: string): void;
  /** Runs a script in this realm. @throws the script's error */
  load(code: string, label: string): void;
}

/** `kind`: the port to the engine has arrived, the mod's script, or a message over the port. */
export type DeliverToRealm = (kind: "port" | "script" | "message", text: string, bytes: ArrayBuffer) => void;

type Listener = (event: object) => void;

const realm = globalThis as unknown as Record<string, unknown>;
const host = realm.midtokenHost as RealmHost;
delete realm.midtokenHost;

const { connect, post, announce, load } = host;
const { apply } = Reflect;
const execute = RegExp.prototype.exec;
const listeners = new Map<string, Listener>();
const listenerOf = Map.prototype.get;

function dispatch(type: string, event: object): void {
  const listener = apply(listenerOf, listeners, [type]) as Listener | undefined;
  if (listener) listener(event);
}

/** The part of a `MessagePort` that a guest uses. */
const port = {
  onmessage: null as Listener | null,
  postMessage(message: unknown): void {
    const { text, bytes } = pack(message);
    post(text, bytes);
  },
};

let label = "";

connect((kind, text, bytes) => {
  if (kind === "port") dispatch("message", { data: null, ports: [port] });
  else {
    const data = unpack({ text, bytes });
    if (kind === "message") port.onmessage?.({ data });
    else {
      label = (data as { label: string }).label;
      dispatch("message", { data, ports: [] });
    }
  }
});

const place = /:(\d+):(\d+)\n?$/;

/** The position of a SyntaxError is at the end of its stack. */
function reportError(error: { stack?: unknown }): void {
  const found = apply(execute, place, [`${error.stack}`]) as string[] | null;
  dispatch("error", {
    lineno: found === null ? 0 : +(found[1] as string),
    colno: found === null ? 0 : +(found[2] as string),
    preventDefault() {},
  });
}

function install(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(realm, name, { value, writable: true, enumerable: false, configurable: true });
  }
}

install({
  self: realm,
  addEventListener: (type: string, listener: Listener) => void listeners.set(type, listener),
  postMessage: (word: unknown) => announce(`${word}`),
  importScripts: (code: string) => load(code, label),
  reportError,
  TextEncoder: Utf8Encoder,
  TextDecoder: Utf8Decoder,
  atob: fromBase64,
  btoa: toBase64,
});
