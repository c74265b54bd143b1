/**
 * The program of the worker in which a mod runs. It starts as a spare: takes what it needs of the browser, removes the
 * rest (scrub.ts), and waits on its port. A file is loaded into it once, for one mod and one request; then it answers
 * events until it is thrown away.
 *
 * What the sandbox covers: a mod, whatever it does, reaches no network, storage, page, device or other thread; learns no
 * time, no randomness and nothing of the machine or of other requests; cannot make code from text; cannot hold up the
 * page or the engine beyond a deadline, which passes while the frame's thread answers the engine's pings, over a port that
 * the guest has no way to; and cannot send the engine anything that is not checked field by field.
 * Three walls stand behind one another: this scrubbed realm; the worker, which has no document, windows or WebRTC; and
 * the frame it was made in, of an origin of its own, under a content security policy that allows nothing (frame.ts).
 *
 * What it does not cover: faults of the browser itself; the seconds of processor time and the memory that a mod takes up
 * to its deadline, or between events until its request ends (on a browser that gives frames no process of their own, a
 * mod may exhaust the tab's memory); what a mod does with the words of the answer, which is its purpose; the last digits
 * of Math.exp and its like, stack depth, Unicode version and the browser's kind, which differ between machines; and, in
 * Firefox, the random file name that `error.fileName` gives a mod that looks for it, so that it may answer differently
 * from run to run.
 */
import { vocabularyOf } from "../masks/vocabulary.ts";
import * as flow from "../sdk/flow.ts";
import * as sdk from "../sdk/index.ts";
import { createModRunner, type ModRunner } from "../sdk/runner.ts";
import * as strategies from "../sdk/strategies.ts";
import type { WireEvent } from "../sdk/wire-event.ts";
import { createTokenizer } from "../tokenizer/create-tokenizer.ts";
import { toWireAction, transferOf } from "./guest-action.ts";
import { installConsole } from "./guest-console.ts";
import { positionIn, stackOf, toWireFault } from "./guest-fault.ts";
import { importRefusal, type ModModule } from "./module-names.ts";
import type { EngineToGuest, GuestToEngine, SourcePosition, TokenizerText } from "./protocol.ts";
import { scrub } from "./scrub.ts";
import { createVirtualClock, define } from "./virtual-clock.ts";

/** What the guest keeps of the browser. Bound functions: no mod can step between. */
const realm = globalThis;
const listen = realm.addEventListener.bind(realm);
const importScript = (realm as unknown as { importScripts(url: string): void }).importScripts.bind(realm);
const reportUncaught = realm.reportError.bind(realm);
const announce = (realm as unknown as { postMessage(message: unknown): void }).postMessage.bind(realm);

const clock = createVirtualClock();
const { random } = scrub(realm, clock);
const output = installConsole(realm);

type Init = Extract<EngineToGuest, { type: "init" }>;
type Events = Extract<EngineToGuest, { type: "events" }>;
type Module = (exports: Record<string, unknown>, require: (name: string) => unknown) => void;

const asModule = (names: object): object => Object.freeze({ __esModule: true, ...names });

/** What a mod's file can import. */
const modules: Readonly<Record<ModModule, object>> = {
  "midtoken/mod": asModule(sdk),
  "midtoken/strategies": asModule(strategies),
  "midtoken/flow": asModule(flow),
};

/** Where the mod's script is, and what its file is called. */
interface Script {
  readonly url: string;
  readonly label: string;
  /** Name of the function that the script calls. */
  readonly define: string;
}

let post: (message: GuestToEngine, transfer?: Transferable[]) => void = () => undefined;
let tokenizer: { readonly key: string; readonly value: ReturnType<typeof createTokenizer> } | null = null;
let script: Script | null = null;
let init: Init | null = null;
let runner: ModRunner | null = null;
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
  else if (data) {
    script = data;
    loadWhenReady();
  }
});
announce("awake");

function openPort(port: MessagePort): void {
  const send = port.postMessage.bind(port) as (message: unknown, transfer: Transferable[]) => void;
  post = (message, transfer = []) => send(message, transfer);
  port.onmessage = (event: MessageEvent<EngineToGuest>) => receive(event.data);
}

function receive(message: EngineToGuest): void {
  if (message.type === "events") {
    void answerAll(message);
    return;
  }
  if (message.type === "prepare") prepare(message.tokenizer, message.strategies);
  else init = message;
  loadWhenReady();
}

function prepare({ key, json }: TokenizerText, withVocabulary: boolean): void {
  if (tokenizer?.key !== key) tokenizer = { key, value: createTokenizer(JSON.parse(json)) };
  if (withVocabulary) vocabularyOf(tokenizer.value);
}

/** Needs three things, which arrive in any order: the script, the request, and its tokenizer. */
function loadWhenReady(): void {
  if (script === null || init === null || runner !== null) return;
  const { run, tokenizerKey } = init;
  if (tokenizer?.key !== tokenizerKey) {
    post({ type: "needTokenizer", run });
    return;
  }
  const { label } = script;
  try {
    clock.start(init.seed);
    random.start(init.seed);
    if (init.reads.strategies) vocabularyOf(tokenizer.value);
    post({ type: "loading", run });
    const exports = runScript(script);
    runner = createModRunner(exports, {
      tokenizer: tokenizer.value,
      reads: init.reads,
      ...(init.entry !== null && { entry: init.entry }),
    });
    const { name, handles, needs } = runner;
    post({ type: "ready", run, name, handles: [...handles], needs: { ...needs }, console: output.take() });
  } catch (error) {
    const fault = toWireFault(error, label, error instanceof SyntaxError ? uncaughtAt : null);
    post({ type: "failed", run, fault, console: output.take() });
  }
}

/** Runs the mod's file, once. @throws what the file throws; a SyntaxError's place is then in `uncaughtAt`. */
function runScript({ url, define: defineName }: Script): Record<string, unknown> {
  const exports: Record<string, unknown> = {};
  const require = (name: string): unknown => {
    if (Object.hasOwn(modules, name)) return modules[name as ModModule];
    throw new Error(importRefusal(name));
  };
  define(realm, { [defineName]: (module: Module) => module(exports, require) });
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

/** An answer is sent as soon as it is there: the engine's side gives each one its own time. */
async function answerAll({ run, sequence, events }: Events): Promise<void> {
  for (let place = 0; place < events.length; place += 1) {
    await answer(run, sequence + place, events[place] as WireEvent);
  }
}

async function answer(run: number, sequence: number, event: WireEvent): Promise<void> {
  if (runner === null || script === null) return;
  clock.tick();
  const sent = event.type === "forwardPass" && event.logits ? event.logits.slice() : null;
  const reply = { type: "reply", run, sequence } as const;
  try {
    const { action, builtAt } = await runner.handle(event);
    const wire = toWireAction(action, sent);
    const place = builtAt === null ? null : positionIn(stackOf(builtAt), script.label);
    const answered = { ...reply, action: wire, fault: null, builtAt: place, console: output.take() };
    post(answered, transferOf(wire));
  } catch (error) {
    const fault = toWireFault(error, script.label);
    post({ ...reply, action: { type: "noop" }, fault, builtAt: null, console: output.take() });
  }
}
