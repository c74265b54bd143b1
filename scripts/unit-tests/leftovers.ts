/**
 * What a test file leaves behind in its process. Test files share processes, so what one file leaves can break a file that
 * comes later, and only in some orders of the files.
 */
import { runInNewContext } from "node:vm";

/** Named values of a process, each as text or as the value itself. */
export type ProcessState = ReadonlyMap<string, unknown>;

const signals = ["SIGINT", "SIGTERM", "SIGHUP", "exit", "beforeExit", "uncaughtException"] as const;

/**
 * Globals of modules, which run once for all files of a worker and whose globals stay: fake-indexeddb, zod, Monaco,
 * the runtime's `Worker` for Node. Symbols are the registries of libraries.
 */
const sharedGlobals =
  /^(indexedDB$|IDB|vscodeWindowId$|MonacoEnvironment$|testFileWatchdog$|waitsLong$|Worker$|__zod_|Symbol\()/;

/** The helpers that tslib, which the command palette's library needs, writes into the globals when Node reads it. */
const tslibHelpers: ReadonlySet<string> = new Set(
  `extends assign rest decorate param esDecorate runInitializers propKey setFunctionName metadata awaiter generator
  exportStar createBinding values read spread spreadArrays spreadArray await asyncGenerator asyncDelegator asyncValues
  makeTemplateObject importStar importDefault classPrivateFieldGet classPrivateFieldSet classPrivateFieldIn
  addDisposableResource disposeResources rewriteRelativeImportExtension`
    .split(/\s+/)
    .map((name) => `__${name}`),
);

/** onnxruntime sets this variable for its own process. */
const sharedVariables = new Set(["ORT_DISABLE_TELEMETRY"]);

/** Node replaces the getters of some globals by their values when they are first read. */
const lazyValue = Symbol("a value that is made when it is read");

/** A context made now has the globals that V8's flags give to every new realm. */
const ownNames = `Reflect.ownKeys(globalThis).map(String).join()`;

export function readProcessState(): ProcessState {
  const state = new Map<string, unknown>();
  for (const key of Reflect.ownKeys(globalThis)) {
    const name = String(key);
    if (sharedGlobals.test(name) || tslibHelpers.has(name)) continue;
    const descriptor = Reflect.getOwnPropertyDescriptor(globalThis, key);
    state.set(`globalThis.${name}`, descriptor?.get ? lazyValue : descriptor?.value);
  }
  for (const prototype of [Object, Array, Promise, String, Map, Set].map((kind) => kind.prototype)) {
    const name = `${prototype.constructor.name}.prototype`;
    state.set(name, Reflect.ownKeys(prototype).map(String).join());
  }
  for (const [name, value] of Object.entries(process.env))
    if (!sharedVariables.has(name)) state.set(`process.env.${name}`, value);
  for (const signal of signals)
    state.set(`listeners of process for ${signal}`, process.listenerCount(signal));
  state.set("process.cwd()", process.cwd());
  state.set("process.exitCode", process.exitCode);
  state.set("the globals of new realms", runInNewContext(ownNames));
  return state;
}

/** Names of what differs. */
export function changedProcessState(before: ProcessState, after: ProcessState): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter(
    (name) => before.get(name) !== lazyValue && !Object.is(before.get(name), after.get(name)),
  );
}
