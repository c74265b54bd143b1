/** The capability attempts, each of them an `Attack`. */
import type { Attack } from "./attack.ts";
import { isolationAttacks } from "./isolation-attacks.ts";
import { subtleAttacks } from "./subtle-attacks.ts";

const wait = `const wait = (ms) => new Promise((resolve) => typeof setTimeout === "function" ? setTimeout(resolve, ms) : resolve());`;
const soon = (promise: string) => `${wait} await Promise.race([${promise}, wait(600)]);`;

const network: readonly Attack[] = [
  { name: "fetch-cross", judge: "servers", body: `await fetch(T.cross, { mode: "no-cors" });` },
  { name: "fetch-same", judge: "servers", body: `await fetch(T.same);` },
  {
    name: "xhr-cross",
    judge: "servers",
    body: `const x = new XMLHttpRequest(); x.open("GET", T.cross, false); x.send();`,
  },
  { name: "websocket", judge: "servers", body: `${wait} new WebSocket(T.socket); await wait(300);` },
  {
    name: "websocketstream",
    judge: "servers",
    feature: "WebSocketStream",
    body: soon(`new WebSocketStream(T.socket).opened`),
  },
  { name: "eventsource", judge: "servers", body: `${wait} new EventSource(T.cross); await wait(300);` },
  {
    name: "webtransport",
    judge: "servers",
    feature: "WebTransport",
    body: soon(`new WebTransport("https://127.0.0.1:" + T.quicPort + "/" + T.id).ready`),
  },
  { name: "importscripts-cross", judge: "servers", body: `importScripts(T.cross + ".js");` },
  { name: "dynamic-import-cross", judge: "servers", body: `await import(T.cross + ".js");` },
  {
    name: "nested-worker-blob-fetch",
    judge: "servers",
    body: `${wait} new Worker(URL.createObjectURL(new Blob(["fetch('" + T.cross + "', { mode: 'no-cors' })"]))); await wait(400);`,
  },
  {
    name: "nested-worker-data-fetch",
    judge: "servers",
    body: `${wait} new Worker("data:text/javascript," + encodeURIComponent("fetch('" + T.cross + "', { mode: 'no-cors' })")); await wait(400);`,
  },
  {
    name: "nested-worker-url",
    judge: "servers",
    body: `${wait} new Worker(T.same + ".js"); await wait(400);`,
  },
  {
    name: "sharedworker",
    judge: "servers",
    feature: "SharedWorker",
    body: `${wait} new SharedWorker(T.same + ".js"); await wait(400);`,
  },
  { name: "fontface-url", judge: "servers", body: soon(`new FontFace("f", "url(" + T.cross + ")").load()`) },
  {
    name: "sendbeacon",
    judge: "servers",
    body: `${wait} navigator.sendBeacon(T.cross, "x"); await wait(300);`,
  },
  {
    name: "wasm-streaming",
    judge: "servers",
    body: `await WebAssembly.compileStreaming(fetch(T.cross + ".wasm"));`,
  },
  { name: "cache-add", judge: "servers", body: `await (await caches.open(T.id)).add(T.cross);` },
  {
    name: "webrtc-stun",
    judge: "servers",
    body: `${wait} const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:" + T.stunPort }] }); c.createDataChannel("x"); await c.setLocalDescription(await c.createOffer()); await wait(600);`,
  },
  { name: "image-beacon", judge: "servers", body: `${wait} new Image().src = T.cross; await wait(300);` },
  {
    name: "css-import",
    judge: "servers",
    body: `${wait} const s = document.createElement("style"); s.textContent = "@import url(" + T.cross + ")"; document.head.append(s); await wait(300);`,
  },
  ...["prefetch", "preload"].map(
    (rel): Attack => ({
      name: `link-${rel}`,
      judge: "servers",
      body: `${wait} const l = document.createElement("link"); l.rel = "${rel}"; l.as = "script"; l.href = T.cross; document.head.append(l); await wait(300);`,
    }),
  ),
  {
    name: "form-submit",
    judge: "servers",
    body: `${wait} const f = document.createElement("form"); f.action = T.cross; document.body.append(f); f.submit(); await wait(300);`,
  },
  {
    name: "iframe-src",
    judge: "servers",
    body: `${wait} const f = document.createElement("iframe"); f.src = T.cross; document.body.append(f); await wait(300);`,
  },
  { name: "window-open", judge: "servers", body: `${wait} open(T.cross); await wait(300);` },
  { name: "top-navigate", judge: "servers", body: `${wait} top.location.href = T.cross; await wait(300);` },
  { name: "self-navigate", judge: "servers", body: `${wait} location.href = T.cross; await wait(300);` },
  {
    name: "sw-register",
    judge: "servers",
    body: soon(`navigator.serviceWorker.register(T.same + ".js")`),
  },
];

const state: readonly Attack[] = [
  { name: "parent-dom", judge: "page", body: `parent.document.title = T.id;` },
  { name: "alert", judge: "report", body: `alert(T.id); return "alert came back";` },
  { name: "cookie-read", judge: "report", body: `const c = document.cookie; return c ?? "read";` },
  { name: "localstorage", judge: "page", body: `localStorage.setItem(T.id, "1");` },
  {
    name: "indexeddb",
    judge: "page",
    body: soon(
      `new Promise((resolve, reject) => { const r = indexedDB.open(T.id); r.onsuccess = resolve; r.onerror = reject; })`,
    ),
  },
  { name: "cachestorage", judge: "page", body: `await caches.open(T.id);` },
  {
    name: "opfs",
    judge: "page",
    body: `await (await navigator.storage.getDirectory()).getFileHandle(T.id, { create: true });`,
  },
  { name: "cookiestore", judge: "page", feature: "cookieStore", body: `await cookieStore.set(T.id, "1");` },
  {
    name: "broadcastchannel",
    judge: "page",
    body: `${wait} new BroadcastChannel("midtoken-suite").postMessage(T.id); await wait(200);`,
  },
  {
    name: "weblocks",
    judge: "page",
    body: soon(
      `new Promise((held) => navigator.locks.request(T.id, () => { held(); return new Promise(() => {}); }))`,
    ),
  },
];

/** Names that reach out of the language. In a scrubbed realm no way to the global object finds one of them. */
const reaching = `["fetch","XMLHttpRequest","WebSocket","Worker","importScripts","postMessage","navigator","location","indexedDB","caches","MessageChannel","MessagePort","BroadcastChannel","EventTarget","addEventListener","setTimeout","performance","crypto","WebAssembly","SharedArrayBuffer","Atomics","Blob","URL","close","self","OffscreenCanvas","structuredClone","reportError","WeakRef","FinalizationRegistry","Temporal"]`;

const reach: readonly Attack[] = [
  {
    name: "usb-devices",
    judge: "report",
    feature: "navigator.usb|navigator.hid|navigator.serial",
    body: `const found = []; for (const kind of ["usb", "hid", "serial"]) { try { found.push(kind + (await (navigator[kind].getDevices ?? navigator[kind].getPorts).call(navigator[kind])).length); } catch {} } return found.length > 0 ? found : undefined;`,
  },
  { name: "notification", judge: "report", feature: "Notification", body: `return Notification.permission;` },
  {
    name: "webgpu",
    judge: "report",
    feature: "navigator.gpu",
    body: `const a = await navigator.gpu.requestAdapter(); return a ? "adapter" : undefined;`,
  },
  {
    name: "webgl-offscreen",
    judge: "report",
    body: `const g = new OffscreenCanvas(1, 1).getContext("webgl"); return g ? g.getParameter(g.VERSION) : undefined;`,
  },
  {
    name: "sab-timer",
    judge: "report",
    body: `let b; try { b = new SharedArrayBuffer(4); } catch { b = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer; } return "shared " + Atomics.add(new Int32Array(b), 0, 1);`,
  },
  {
    name: "nested-worker",
    judge: "report",
    body: `${wait} const w = new Worker(URL.createObjectURL(new Blob(["postMessage('from within')"]))); return await Promise.race([new Promise((resolve) => { w.onmessage = (e) => resolve(e.data); }), wait(500)]);`,
  },
  {
    name: "eval",
    judge: "report",
    body: `const ways = [() => (0, eval)("6 * 7"), () => new Function("return 42")(), () => { let v; setTimeout("globalThis.seen = 42"); return v; }]; for (const way of ways) { try { if (way() === 42) return "ran"; } catch {} }`,
  },
  {
    name: "function-ctor",
    judge: "report",
    body: `const kinds = [() => {}, async () => {}, function* () {}, async function* () {}, class {}, Math.max, (() => {}).bind()];
for (const kind of kinds) for (const make of [kind.constructor, Object.getPrototypeOf(kind).constructor, Reflect.getPrototypeOf(Reflect.getPrototypeOf(kind) ?? {})?.constructor]) {
  try { const f = make("return 42"); const v = await (typeof f === "function" ? f() : undefined); if (v === 42 || v?.next?.().value === 42 || (await v?.next?.())?.value === 42) return "ran"; } catch {}
}`,
  },
  {
    name: "realm-global",
    judge: "report",
    body: `const roots = [globalThis, (function () { return this; })(), [].concat.call.call(function () { return this; })];
try { Error.prepareStackTrace = (_, sites) => sites; const sites = new Error().stack; if (Array.isArray(sites)) for (const s of sites) roots.push(s.getThis?.(), s.getFunction?.()); } catch {}
try { roots.push([].filter.constructor("return this")()); } catch {}
const found = new Set();
for (const root of roots) for (let o = root; o !== null && o !== undefined; o = Object.getPrototypeOf(o)) for (const name of ${reaching}) if (Object.hasOwn(Object(o), name)) found.add(name);
return found.size > 0 ? [...found] : undefined;`,
  },
  {
    name: "wall-clock",
    judge: "report",
    body: `const ways = { now: () => Date.now(), date: () => new Date().getTime(), constructed: () => Reflect.construct(Date, []).getTime(), text: () => Date.parse(Date()), own: () => new (new Date(0).constructor)().getTime(), again: () => Object.getPrototypeOf(new Date(0)).constructor.now(),
  intl: () => Date.parse(new Intl.DateTimeFormat("en-US").format()), parts: () => Number(new Intl.DateTimeFormat("en-US", { year: "numeric" }).formatToParts().map((p) => p.value).join("")) * 31556952000 - 62167219200000,
  bound: () => Date.parse(Reflect.get(Intl.DateTimeFormat.prototype, "format", new Intl.DateTimeFormat("en-US"))()),
  temporal: () => Temporal.Now.instant().epochMilliseconds, instant: () => new Date(0).toTemporalInstant().constructor && undefined,
  file: () => new File([], "x").lastModified, origin: () => performance.timeOrigin };
const times = {}; for (const [name, way] of Object.entries(ways)) { try { times[name] = way(); } catch {} }
const zones = {}; for (const [name, way] of Object.entries({ intl: () => Intl.DateTimeFormat().resolvedOptions().timeZone, offset: () => new Date(0).getTimezoneOffset(), july: () => new Date(1e12).getTimezoneOffset(), hours: () => new Date(0).getHours(), text: () => new Date(0).toString().slice(16, 33), local: () => new Date(0).toLocaleTimeString("en-GB"), parsed: () => Date.parse("2000-01-01T00:00:00") - 946684800000, legacy: () => Date.parse("Jan 1, 2000 00:00:00") - 946684800000, parts: () => new Date(2000, 0, 1).getTime() - 946684800000, set: () => new Date(0).setHours(0), named: () => new Intl.DateTimeFormat("en", { timeZoneName: "long" }).format(0), locale: () => Intl.NumberFormat().resolvedOptions().locale, unknown: () => new Intl.NumberFormat("xx-XX").resolvedOptions().locale, number: () => (1234.5).toLocaleString(), date: () => new Date(0).toLocaleDateString(), big: () => 1234n.toLocaleString(), list: () => [1234.5].toLocaleString() })) { try { zones[name] = way(); } catch {} }
return { times, zones };`,
  },
  {
    name: "perf-clock",
    judge: "report",
    body: `const clocks = { now: () => performance.now(), date: () => Date.now(), fresh: () => +new Date(), event: () => new Event("x").timeStamp, temporal: () => Temporal.Now.instant().epochNanoseconds };
const before = {}; for (const [name, read] of Object.entries(clocks)) { try { before[name] = read(); } catch {} }
let x = 0; for (let i = 0; i < 3e7; i++) x += i % 7;
const moved = []; for (const name of Object.keys(before)) if (clocks[name]() !== before[name]) moved.push(name);
try { setTimeout(() => {}, 0); moved.push("setTimeout"); } catch {}
try { requestAnimationFrame(() => {}); moved.push("requestAnimationFrame"); } catch {}
try { const b = new Int32Array(new SharedArrayBuffer(4)); Atomics.wait(b, 0, 0, 1); moved.push("wait"); } catch {}
return x > 0 && moved.length > 0 ? moved : undefined;`,
  },
  {
    name: "entropy",
    judge: "report",
    twice: true,
    body: `const ways = { random: () => Math.random(), values: () => crypto.getRandomValues(new Uint8Array(8)).join(), uuid: () => crypto.randomUUID(), address: () => URL.createObjectURL(new Blob([])), stack: () => new Error("x").stack, deep: () => { try { null.x; } catch (e) { return e.stack; } },
  sites: () => { Error.prepareStackTrace = (_, s) => s.map((c) => c.getFileName()).join(); return new Error().stack; }, captured: () => { const o = {}; Error.captureStackTrace(o); return o.stack; }, memory: () => performance.memory.usedJSHeapSize, cores: () => navigator.hardwareConcurrency, port: () => T.nothing };
const drawn = {}; for (const [name, way] of Object.entries(ways)) { try { drawn[name] = String(way()); } catch {} } return drawn;`,
  },
];

export const attacks: readonly Attack[] = [
  ...network,
  ...state,
  ...reach,
  ...isolationAttacks,
  ...subtleAttacks,
];
