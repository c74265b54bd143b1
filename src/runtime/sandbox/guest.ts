/**
 * The program of the worker in which a mod runs. It starts as a warm sandbox: it saves the browser's functions that it
 * needs, removes all others (scrub.ts), and waits on its port. A file is loaded into it once, for one mod
 * and one request; then it answers events until it is ended.
 *
 * The sandbox ensures that a mod reaches no network, storage, page, device or other thread; gets no time, no randomness and
 * no information about the machine or other requests; cannot make code from text; cannot delay page or engine beyond a
 * deadline, which counts while the frame's thread answers the engine's pings, over a port that the guest cannot reach; and
 * cannot send the engine anything that is not checked field by field. There are three walls: this scrubbed realm; the
 * worker, which has no document, windows or WebRTC; and its frame, which has an opaque origin and a content security policy
 * that allows nothing (frame.ts).
 *
 * The sandbox does not prevent faults of the browser itself; the seconds of processor time and the memory that a mod uses up
 * to its deadline, or between events until its request ends (on a browser that gives frames no process of
 * their own, a mod may exhaust the tab's memory); the changes of a mod to the answer, which are its purpose; the last digits
 * of Math.exp and similar functions, stack depth, Unicode version and the browser's kind, which differ between
 * machines; and, in Firefox, the random file name that `error.fileName` shows to a mod, so that its replies may differ from
 * run to run.
 */
import * as flow from "../../core/sdk/flow.ts";
import * as sdk from "../../core/sdk/index.ts";
import * as strategies from "../../core/sdk/strategies.ts";
import { installConsole } from "./guest-console.ts";
import { toWireFault } from "./guest-fault.ts";
import { createGuestMessageHandler, type GuestCallbacks, type GuestFile } from "./guest-turns.ts";
import { type ImportableModule, importRefusal } from "./module-names.ts";
import type { EngineToGuest, SourcePosition } from "./protocol.ts";
import { scrubRealm } from "./scrub.ts";
import { createVirtualClock, defineBuiltIns } from "./virtual-clock.ts";

/** The browser's functions that the guest saves before the mod runs. They are bound, so that a mod cannot replace them. */
const realm = globalThis;
const listen = realm.addEventListener.bind(realm);
const importScript = (realm as unknown as { importScripts(url: string): void }).importScripts.bind(realm);
const reportUncaught = realm.reportError.bind(realm);
const announce = (realm as unknown as { postMessage(message: unknown): void }).postMessage.bind(realm);

const clock = createVirtualClock();
const { random } = scrubRealm(realm, clock);
const output = installConsole(realm);

type Module = (exports: Record<string, unknown>, require: (name: string) => unknown) => void;

const asModule = (names: object): object => Object.freeze({ __esModule: true, ...names });

/** The modules that a mod's file can import. */
const modules: Readonly<Record<ImportableModule, object>> = {
  "midtoken/mod": asModule(sdk),
  "midtoken/strategies": asModule(strategies),
  "midtoken/flow": asModule(flow),
};

/** The mod's script and the name of its file. */
interface Script {
  readonly url: string;
  readonly label: string;
  /** Name of the function that the script calls. */
  readonly define: string;
}

let send: GuestCallbacks["post"] = () => undefined;
const turns = createGuestMessageHandler({
  post: (message, transfer) => send(message, transfer),
  takeConsole: output.take,
  onStart(seed) {
    clock.start(seed);
    random.start(seed);
  },
  onEvent: clock.tick,
});
let uncaughtAt: SourcePosition | null = null;

listen("error", (event) => {
  uncaughtAt = event.lineno > 0 ? { line: event.lineno, column: Math.max(event.colno, 1) } : null;
  event.preventDefault();
});
listen("unhandledrejection", (event) => {
  output.write("error", `Unhandled rejection: ${toWireFault(event.reason, "").message}`);
  event.preventDefault();
});
listen("message", (event) => {
  const { data, ports } = event as MessageEvent<Script | null>;
  if (ports[0]) openPort(ports[0]);
  else if (data) turns.give(fileOf(data));
});
announce("awake");

function openPort(port: MessagePort): void {
  const postMessage = port.postMessage.bind(port) as (message: unknown, transfer: Transferable[]) => void;
  send = (message, transfer) => postMessage(message, transfer);
  port.onmessage = (event: MessageEvent<EngineToGuest>) => void turns.receive(event.data);
}

function fileOf(script: Script): GuestFile {
  return {
    label: script.label,
    load: () => runScript(script),
    faultPlace: (error) => (error instanceof SyntaxError ? uncaughtAt : null),
  };
}

/** Runs the mod's file, once. @throws the file's error; for a SyntaxError, `uncaughtAt` then has the position */
function runScript({ url, define: defineName }: Script): Record<string, unknown> {
  const exports: Record<string, unknown> = {};
  const require = (name: string): unknown => {
    if (Object.hasOwn(modules, name)) return modules[name as ImportableModule];
    throw new Error(importRefusal(name));
  };
  defineBuiltIns(realm, { [defineName]: (module: Module) => module(exports, require) });
  try {
    importScript(url);
  } catch (error) {
    if (error instanceof SyntaxError) reportUncaught(error);
    throw error;
  } finally {
    Reflect.deleteProperty(realm, defineName);
  }
  return exports;
}
