/** Capability attempts of a second kind: clocks without a clock, code from text by side doors, names that nobody listed, traces of others. */
import type { Attack } from "./attack.ts";

const wait = `const wait = (ms) => new Promise((resolve) => typeof setTimeout === "function" ? setTimeout(resolve, ms) : resolve());`;

/** The names of a scrubbed realm, beside `console`. They stand here once more, so that a longer list in the wall is seen. */
const language = `Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error
AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError SuppressedError globalThis JSON Math Intl
ArrayBuffer DataView Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array BigInt64Array Uint8ClampedArray
Float16Array Float32Array Float64Array Map BigInt Set Iterator WeakMap WeakSet Proxy Reflect DisposableStack AsyncDisposableStack decodeURI
decodeURIComponent encodeURI encodeURIComponent escape unescape isFinite isNaN TextEncoder TextDecoder queueMicrotask atob btoa console`;

/** Leads out of this machine, or names where something lies on it. */
const address = `/blob:|https?:|file:|[0-9a-f]{8}-[0-9a-f]{4}-/`;

export const subtleAttacks: readonly Attack[] = [
  {
    name: "import-with-attributes",
    judge: "servers",
    body: `for (const type of ["json", "css", "text", "bytes"]) { try { await import(T.cross + ".js", { with: { type } }); } catch {} }`,
  },
  {
    name: "import-of-data",
    judge: "report",
    body: `const found = []; for (const [address, options] of [["data:text/javascript,export default 42"], ["data:application/json,42", { with: { type: "json" } }]]) { try { if ((await import(address, options)).default === 42) found.push(address); } catch {} } return found.length > 0 ? found : undefined;`,
  },
  {
    name: "ticks-between-events",
    judge: "report",
    body: `${wait} const ticked = new Set();
const ways = { timeout: (tick) => setTimeout(tick), interval: (tick) => setInterval(tick), channel: (tick) => { const c = new MessageChannel(); c.port1.onmessage = tick; c.port2.postMessage(0); }, broadcast: (tick) => { const a = new BroadcastChannel("t"), b = new BroadcastChannel("t"); a.onmessage = tick; b.postMessage(0); },
  task: (tick) => scheduler.postTask(tick), idle: (tick) => requestIdleCallback(tick), frame: (tick) => requestAnimationFrame(tick), abort: (tick) => AbortSignal.timeout(1).addEventListener("abort", tick), wait: (tick) => Atomics.waitAsync(new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer), 0, 0, 1).value.then(tick), event: (tick) => { addEventListener("x", tick); dispatchEvent(new Event("x")); } };
for (const [name, way] of Object.entries(ways)) { try { way(() => ticked.add(name)); } catch {} }
const counted = await Array.fromAsync?.((function* () { for (let i = 0; i < 1000; i++) yield i; })(), (i) => i); await wait(100);
return ticked.size > 0 && counted !== null ? [...ticked] : undefined;`,
  },
  {
    name: "garbage-seen",
    judge: "report",
    body: `const found = []; try { found.push(typeof new WeakRef({}).deref()); } catch {} try { new FinalizationRegistry(() => {}).register({}, 1); found.push("registry"); } catch {} return found.length > 0 ? found : undefined;`,
  },
  {
    name: "waits-for-a-while",
    judge: "report",
    body: `return Atomics.wait(new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer), 0, 0, 5);`,
  },
  {
    name: "webassembly",
    judge: "report",
    body: `const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0); const found = []; try { new WebAssembly.Module(bytes); found.push("module"); } catch {} try { await WebAssembly.instantiate(bytes); found.push("instance"); } catch {} return found.length > 0 ? found : undefined;`,
  },
  {
    name: "code-from-text-by-side-doors",
    judge: "report",
    body: `const kinds = [function () {}, async function () {}, function* () {}, async function* () {}, class {}, Array.fromAsync, (function* () {})().next, Object.getOwnPropertyDescriptor(RegExp.prototype, "flags").get, Proxy, (() => {}).bind(), Symbol, Reflect.apply];
const ways = kinds.flatMap((kind) => { const make = kind?.constructor; return [() => make("return 42")(), () => new make("return 42")(), () => Reflect.construct(make, ["return 42"], Object)(), () => new (class extends make { constructor() { super("return 42"); } })()(), () => Function.prototype.constructor.call(null, "return 42")(), () => make.prototype.constructor("return 42")()]; });
ways.push(() => setTimeout("globalThis.made = 42"), () => execScript("42"), () => new ShadowRealm().evaluate("42"), () => { with_ = 42; return (0, globalThis["ev" + "al"])("42"); }, () => new Proxy(Function, {})("return 42")(), () => JSON.parse('{"a":1}', function () { return this.constructor.constructor("return 42")(); }), () => "a".replace(/a/, (...all) => all.constructor.constructor("return 42")()));
for (const way of ways) { try { let value = way(); value = value?.next ? await value.next() : await value; if ((value?.value ?? value) === 42 || globalThis.made === 42) return "ran"; } catch {} }`,
  },
  {
    name: "addresses-in-stacks",
    judge: "report",
    body: `const wrong = [() => null.x, () => atob("%"), () => decodeURIComponent("%"), () => new TextDecoder("nope"), () => "x".repeat(-1), () => new RegExp("("), () => JSON.parse("{"), () => { throw new AggregateError([new Error("a")], "b"); }, () => (function deep() { deep(); })(), () => new Intl.NumberFormat("x-"), () => structuredClone(() => {})];
try { Error.stackTraceLimit = Infinity; } catch {}
const seen = []; for (const way of wrong) { try { way(); } catch (error) { seen.push(error.stack, error.message, ...(error.errors ?? []).map((inner) => inner.stack)); } }
const holder = {}; try { Error.captureStackTrace(holder); seen.push(holder.stack); } catch {}
const found = seen.filter((text) => ${address}.test(text)); return found.length > 0 ? found[0] : undefined;`,
  },
  {
    name: "names-that-nobody-listed",
    judge: "report",
    body: `const known = new Set(${JSON.stringify(language.split(/\s+/))}); const found = Reflect.ownKeys(globalThis).filter((name) => typeof name === "string" && !known.has(name)); return found.length > 0 ? found.slice(0, 20) : undefined;`,
  },
  {
    name: "behind-the-global-object",
    judge: "report",
    body: `const found = []; for (let holder = Object.getPrototypeOf(globalThis); holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) for (const name of Reflect.ownKeys(holder)) { const own = Object.getOwnPropertyDescriptor(holder, name); if (own.get || own.set || Object(own.value) === own.value) found.push(String(name)); } return found.length > 0 ? found.slice(0, 20) : undefined;`,
  },
  {
    name: "texts-of-others",
    judge: "report",
    body: `const shown = [RegExp.input, RegExp.lastMatch, RegExp.lastParen, RegExp.leftContext, RegExp.rightContext, ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((place) => RegExp["$" + place])].filter((text) => typeof text === "string");
const found = shown.filter((text) => ${address}.test(text) || /Kolkata|de-DE|de_DE|hit\\//.test(text)); return found.length > 0 ? found : undefined;`,
  },
  {
    name: "left-by-the-one-before",
    judge: "report",
    twice: true,
    body: `const found = []; const mark = "midtoken-left";
const places = { global: [() => globalThis[mark], () => { globalThis[mark] = 1; }], every: [() => ({})[mark], () => { Object.prototype[mark] = 1; }], list: [() => [][mark], () => { Array.prototype[mark] = 1; }], symbol: [() => Symbol.prototype[mark], () => { Symbol.prototype[mark] = Symbol.for(mark); }], search: [() => RegExp.$1 === mark, () => { /(midtoken-left)/.test(mark); }], limit: [() => Error.stackTraceLimit === 3, () => { Error.stackTraceLimit = 3; }], intl: [() => Intl[mark], () => { Intl[mark] = 1; }], console: [() => console[mark], () => { console[mark] = 1; }],
  cache: [() => caches.has(mark), () => caches.open(mark)], random: [() => globalThis[mark + Math.random()], () => { globalThis[mark + Math.random()] = 1; }] };
for (const [name, [look]] of Object.entries(places)) { try { if (await look()) found.push(name); } catch {} }
for (const [, leave] of Object.values(places)) { try { await leave(); } catch {} }
return found.length > 0 ? found : undefined;`,
  },
];
