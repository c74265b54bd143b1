/**
 * Mods that replace built-ins of the language before the guest's program uses them for its next reply. Plain JavaScript, so
 * that the same texts run in Node and in browsers.
 */

/** Statements at the top of a mod, and its reply to `added`. */
export interface BuiltInPatch {
  readonly name: string;
  readonly patch: string;
  /** Body of the handler of `added`; forces token 1 unless given. */
  readonly added?: string;
}

const forged = `{ action: { type: "forceTokens", tokens: [1e9] }, builtAt: null }`;
const foreign = `{ type: "eval", code: "1", port: 1 }`;

export const builtInPatches: readonly BuiltInPatch[] = [
  {
    name: "then gives a forged action",
    patch: `const { then } = Promise.prototype; Promise.prototype.then = function (...given) { return then.call(Promise.resolve(${forged}), ...given); };`,
  },
  {
    name: "every object can be awaited",
    patch: `Object.defineProperty(Object.prototype, "then", { configurable: true, get() { if (!("builtAt" in this)) return undefined; return (resolve) => resolve(Object.create(${forged}, { then: { value: undefined } })); } });`,
  },
  {
    name: "a promise's constructor is the mod's",
    patch: `Object.defineProperty(Promise.prototype, "constructor", { get() { return function (run) { run((value) => value, () => undefined); return { then(resolve) { resolve(${forged}); } }; }; } });`,
  },
  {
    name: "lists give foreign things",
    patch: `Array.prototype[Symbol.iterator] = function* () { yield ${foreign}; yield globalThis; };`,
  },
  {
    name: "lists give functions",
    patch: `Array.prototype[Symbol.iterator] = function* () { yield () => 1; };`,
  },
  {
    name: "lists give lists without end",
    patch: `Array.prototype.map = Array.prototype.slice = function () { return new Proxy([], { get: (_, name) => (name === "length" ? 1e9 : 1) }); };`,
  },
  {
    name: "species is the mod's",
    patch: `for (const Kind of [Array, Map, Set, Promise, RegExp, ArrayBuffer, Object.getPrototypeOf(Float32Array)]) Object.defineProperty(Kind, Symbol.species, { get() { return function () { return globalThis; }; } });`,
  },
  {
    name: "call, apply and bind are the mod's",
    patch: `for (const name of ["call", "apply", "bind"]) Function.prototype[name] = function () { return ${foreign}; };`,
  },
  {
    name: "maps forget",
    patch: `for (const Kind of [Map, WeakMap]) { Kind.prototype.get = () => (${foreign}); Kind.prototype.has = () => true; }`,
  },
  {
    name: "everything is an Error",
    patch: `Object.defineProperty(Error, Symbol.hasInstance, { value: () => true });`,
    added: `throw { get name() { return globalThis; }, get message() { return "x".repeat(1e6); }, get stack() { return "test.ts:1e9:1"; } };`,
  },
  {
    name: "texts are cut to more",
    patch: `String.prototype.slice = () => "x".repeat(1e7);`,
    added: `throw new Error("no");`,
  },
  {
    name: "texts are functions",
    patch: `String.prototype.slice = () => () => 1;`,
    added: `throw new Error("no");`,
  },
  {
    name: "the console's lines are of the mod's kind",
    patch: `Array.prototype.push = function () { this[this.length] = { level: "alert", text: { toString: () => "x" } }; };`,
    added: `console.log("x");`,
  },
  {
    name: "the console's lines are endless",
    patch: `Array.prototype.push = function () { this[0] = { level: "log", text: "x".repeat(1e7) }; };`,
    added: `console.log("x");`,
  },
  {
    name: "every object has the fields of an action",
    patch: `for (const [name, value] of Object.entries({ tokens: [1e9], hidden: "yes", maxSteps: -1, count: 1e9, run: 0, sequence: 99, fault: { kind: "threw" } })) Object.defineProperty(Object.prototype, name, { value, configurable: true });`,
  },
  {
    name: "JSON and texts answer with others",
    patch: `JSON.stringify = () => globalThis;
Object.prototype.toJSON = () => (${foreign}); String.prototype.toString = () => ({});`,
    added: `return actions.toolCalls({ name: "f", arguments: { toJSON: () => "x".repeat(2e6) } });`,
  },
  {
    name: "frozen is not frozen",
    patch: `Object.freeze = (value) => value;`,
    added: `const action = actions.forceTokens([1]); action.tokens[0] = -5; action.type = "forceOutput"; action.extra = () => 1; return action;`,
  },
  {
    name: "an action that is one's own",
    patch: `WeakMap.prototype.get = () => ({ event: "added", builtAt: null });`,
    added: `let reads = 0; return { get type() { return reads++ < 2 ? "forceTokens" : "eval"; }, get tokens() { return [1, -1, 0.5, NaN, {}, "2"]; }, hidden: () => 1 };`,
  },
  {
    name: "entries of a list of one's own",
    patch: `Array.from = () => [{ get port() { return 1; } }, -0, NaN, 1e9];`,
  },
  {
    name: "nothing can be deleted or defined",
    patch: `Reflect.deleteProperty = () => true; Object.defineProperty = Reflect.defineProperty = () => true; Object.entries = Object.keys = () => ["type"];`,
  },
];

/**
 * Replaces each built-in function with one that does the same, but also records its receiver and arguments, and so sees the
 * objects that the guest's program uses. `finds()` names those that lead out of the sandbox: ports, messages, the worker's
 * own functions.
 */
export const builtInSpyText = `
const heard = [];
const finds = (() => {
  const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, has } = Reflect;
  const { min } = Math;
  const uncurried = Function.prototype.bind.bind(Function.prototype.call);
  const test = uncurried(RegExp.prototype.test), isSeen = uncurried(Set.prototype.has), see = uncurried(Set.prototype.add);
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
  const realm = globalThis, RealSet = Set, RealString = String;
  const hear = (value) => { if (isObject(value) && heard.length < 200000) defineProperty(heard, heard.length, { __proto__: null, value, configurable: true, enumerable: true, writable: true }); };
  const ear = (real) => {
    const listener = function (...given) {
      hear(this);
      for (let place = 0; place < given.length; place++) hear(given[place]);
      const answer = new.target === undefined ? apply(real, this, given) : construct(real, given, new.target);
      hear(answer);
      return answer;
    };
    for (const name of ["name", "length", "prototype"]) {
      const own = getOwnPropertyDescriptor(real, name);
      if (own && (name !== "prototype" || own.writable)) try { defineProperty(listener, name, own); } catch {}
    }
    return listener;
  };
  const seen = new RealSet([realm.console, Symbol]);
  const walk = [realm, [][Symbol.iterator](), "".matchAll(/x/g), new Map().entries(), new Set().entries(), (function* () {})(), (async function* () {})(), async () => {}, realm.Iterator?.from({ next() {} })];
  const put = [];
  while (walk.length > 0) {
    const holder = walk.pop();
    if (!isObject(holder) || seen.has(holder)) continue;
    seen.add(holder);
    walk.push(getPrototypeOf(holder));
    for (const key of ownKeys(holder)) {
      const own = getOwnPropertyDescriptor(holder, key);
      if (isObject(own.value)) walk.push(own.value);
      if (holder === realm || key === "constructor" || key === "caller" || key === "arguments") continue;
      if (own.configurable || own.writable) put.push([holder, key, own]);
    }
  }
  for (const [holder, key, own] of put) {
    try {
      if (typeof own.value === "function" && own.value.prototype === undefined) own.value = ear(own.value);
      else if (own.get) own.get = ear(own.get);
      else continue;
      defineProperty(holder, key, own);
    } catch {}
  }
  for (const name of ["then", "transfer", "target", "currentTarget", "source", "port", "toJSON"])
    defineProperty(Object.prototype, name, { __proto__: null, configurable: true, get() { hear(this); return undefined; }, set(value) { hear(value); defineProperty(this, name, { __proto__: null, value, configurable: true, enumerable: true, writable: true }); } });
  const outward = ["postMessage", "importScripts", "dispatchEvent", "addEventListener", "terminate", "ports", "currentTarget", "preventDefault", "createObjectURL"];
  return () => {
    const found = {}, visited = new RealSet(), count = heard.length;
    const visit = (value, depth) => {
      if (!isObject(value) || value === realm || value === heard || isSeen(visited, value)) return;
      see(visited, value);
      try {
        if (typeof value === "function") { const own = getOwnPropertyDescriptor(value, "name"); if (own && test(/^bound |postMessage|importScripts/, RealString(own.value))) found[own.value] = true; }
        for (let place = 0; place < outward.length; place++) {
          for (let holder = value; holder !== null && holder !== undefined; holder = getPrototypeOf(holder)) if (getOwnPropertyDescriptor(holder, outward[place])) { if (getPrototypeOf(holder) !== null && (holder !== value || getPrototypeOf(value) !== Object.prototype)) found[outward[place]] = true; break; }
        }
        if (depth === 0) return;
        const keys = ownKeys(value), most = min(keys.length, 200);
        for (let place = 0; place < most; place++) { const own = getOwnPropertyDescriptor(value, keys[place]); if (own) visit(own.value, depth - 1); }
      } catch {}
    };
    for (let place = 0; place < count; place++) visit(heard[place], 3);
    let names = "";
    for (const name in found) if (getOwnPropertyDescriptor(found, name)) names += name + " ";
    return names;
  };
})();
`;
