/** Attempts on what a thread of Node has and a browser's worker does not. `T.file` is a file with a secret in it. */
import type { Attack } from "./attack.ts";

/** Every way to Node's modules that anyone has written down; the first that gives one is `node(name)`. */
const node = `const ways = [(name) => require(name), (name) => globalThis.require(name), (name) => process.getBuiltinModule(name), (name) => process.mainModule.require(name), (name) => module.constructor._load(name),
  (name) => import("node:" + name), (name) => import(name), (name) => (0, eval)("require")(name), (name) => new Function("name", "return process.getBuiltinModule(name)")(name), (name) => process.binding(name), (name) => Object.getPrototypeOf(async () => {}).constructor("name", "return import('node:' + name)")(name),
  (name) => console.constructor.constructor("return process")().getBuiltinModule(name), (name) => new Error().constructor.constructor("return process")().getBuiltinModule(name), (name) => TextDecoder.prototype.decode.constructor("return process")().getBuiltinModule(name), (name) => importScripts.constructor("return process")().getBuiltinModule(name)];
async function node(name) { for (const way of ways) { try { const found = await way(name); if (found) return found; } catch {} } throw new Error("no way to " + name); }
`;

export const nodeAttacks: readonly Attack[] = [
  {
    name: "node-reads-a-file",
    judge: "report",
    body: `${node}return (await node("fs")).readFileSync(T.file, "utf8");`,
  },
  {
    name: "node-lists-a-folder",
    judge: "report",
    body: `${node}return (await node("fs")).readdirSync("/");`,
  },
  {
    name: "node-writes-a-file",
    judge: "page",
    body: `${node}(await node("fs")).writeFileSync(T.file + "." + T.id, "out");`,
  },
  {
    name: "node-starts-a-process",
    judge: "report",
    body: `${node}return String((await node("child_process")).execFileSync("id"));`,
  },
  {
    name: "node-opens-a-socket",
    judge: "servers",
    body: `${node}const { hostname, port, pathname } = { hostname: "127.0.0.1", port: T.socket.split(":")[2].split("/")[0], pathname: "/hit/" + T.id };
const socket = (await node("net")).connect(port, hostname, () => socket.write("GET " + pathname + " HTTP/1.0\\r\\n\\r\\n")); await new Promise((resolve) => { socket.on("data", resolve); socket.on("error", resolve); setTimeout(resolve, 2000); });`,
  },
  {
    name: "node-asks-by-http",
    judge: "servers",
    body: `${node}const http = await node("http"); await new Promise((resolve) => http.get(T.cross, resolve).on("error", resolve));`,
  },
  {
    name: "node-environment",
    judge: "report",
    body: `return Object.keys(process.env).length + " " + process.cwd();`,
  },
  {
    name: "node-versions",
    judge: "report",
    body: `return process.versions ?? globalThis.navigator.userAgent;`,
  },
  {
    name: "node-process-handle",
    judge: "report",
    body: `return [process.pid, process.ppid, process.title, process.execPath];`,
  },
  {
    name: "node-another-thread",
    judge: "report",
    body: `${node}const { Worker } = await node("worker_threads"); return new Worker("", { eval: true }).threadId;`,
  },
  {
    name: "node-the-pool-behind",
    judge: "report",
    body: `${node}const threads = await node("worker_threads"); return typeof threads.parentPort.postMessage + Object.keys(threads.workerData ?? {});`,
  },
  {
    name: "node-machine",
    judge: "report",
    body: `${node}const os = await node("os"); return [os.hostname(), os.cpus().length, os.userInfo().username];`,
  },
  {
    name: "node-inspector",
    judge: "report",
    body: `${node}const session = new (await node("inspector")).Session(); session.connect(); return "connected";`,
  },
  {
    name: "node-other-context",
    judge: "report",
    body: `${node}return (await node("vm")).runInNewContext("6 * 7");`,
  },
  { name: "node-clock", judge: "report", body: `return String(process.hrtime.bigint());` },
  {
    name: "node-timers",
    judge: "report",
    body: `${node}await (await node("timers/promises")).setTimeout(1); return "waited";`,
  },
  {
    name: "node-entropy",
    judge: "report",
    body: `${node}return (await node("crypto")).randomBytes(4).toString("hex");`,
  },
  {
    name: "node-memory-of-v8",
    judge: "report",
    body: `${node}return (await node("v8")).getHeapStatistics().heap_size_limit;`,
  },
  {
    name: "quickjs-modules",
    judge: "report",
    body: `const found = []; for (const name of ["std", "os", "bjson", "qjs:std", "qjs:os", "./std", "/etc/passwd", "guest.js"]) { try { found.push(Object.keys(await import(name))); } catch {} }
for (const name of ["std", "os", "bjson", "print", "scriptArgs", "loadScript", "__loadScript", "evalScript", "gc", "navigator", "midtokenHost", "Module", "QuickJSRaw"]) if (globalThis[name] !== undefined) found.push(name); return found.length > 0 ? found : undefined;`,
  },
  {
    name: "frames-of-the-stack",
    judge: "report",
    body: `const seen = []; try { Error.prepareStackTrace = (_, sites) => { for (const site of sites ?? []) for (const name of ["getThis", "getFunction", "getEvalOrigin"]) { try { const value = site[name]?.(); if (Object(value) === value) seen.push(name + " " + typeof value); } catch {} } return ""; }; new Error().stack; } catch {}
function caller() { return [caller.caller, caller.arguments?.callee?.caller, (() => { try { return arguments.callee.caller; } catch {} })()]; } try { for (const found of caller()) if (typeof found === "function") seen.push("caller"); } catch {} return seen.length > 0 ? seen : undefined;`,
  },
  {
    name: "hands-of-the-host",
    judge: "report",
    body: `const seen = new Set(), found = []; const look = (value, path, depth) => { if (Object(value) !== value || seen.has(value) || depth > 6) return; seen.add(value); for (const key of Reflect.ownKeys(value)) { const own = Reflect.getOwnPropertyDescriptor(value, key); for (const part of [own.value, own.get, own.set]) { if (typeof part === "function" && /^(connect|post|announce|load)$/.test(part.name) && /native/.test(Function.prototype.toString.call(part))) found.push(path + "." + String(key)); look(part, path + "." + String(key), depth + 1); } } look(Reflect.getPrototypeOf(value), path + ".__proto__", depth + 1); };
look(globalThis, "global", 0); const threads = typeof process === "undefined" ? null : process; if (threads) found.push("process"); return found.length > 0 ? found : undefined;`,
  },
];
