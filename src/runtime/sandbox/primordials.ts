/**
 * The language as it was before any mod ran. A mod may replace every built-in, and the wall's own code runs beside it, in
 * the same realm: what that code looked up when a mod calls it would be the mod's. So it uses these alone. It never spreads,
 * destructures or walks lists by their iterator, and reads no property that an object may not have itself: each would ask
 * `Symbol.iterator` or `Object.prototype`, which are the mod's. It writes no template texts: QuickJS joins them by
 * `String.prototype.concat`, which is the mod's too.
 */
export const { apply, construct, deleteProperty, get } = Reflect;

export const RealTypeError = TypeError;
export const { trunc } = Math;
export const { isNaN: isNotNumber, NaN: notNumber } = Number;
const { toPrimitive: toPrimitiveName } = Symbol;

const { bind, call } = Function.prototype;

type Uncurry = <This, Values extends unknown[], Result>(
  method: (this: This, ...values: Values) => Result,
) => (self: This, ...values: Values) => Result;

/** A method as a function of its object: `uncurry(text.slice)("abc", 1)`. Nothing is looked up when that is called. */
export const uncurry = bind.bind(call as never) as unknown as Uncurry;

export const execute = uncurry(RegExp.prototype.exec);
export const toLowerCase = uncurry(String.prototype.toLowerCase);
export const padStart = uncurry(String.prototype.padStart);

/** The primitive that an operator makes of a value: an object's methods are called as the language calls them, each once. */
export function toPrimitive(value: unknown): unknown {
  if (!isObject(value)) return value;
  const convert = get(value, toPrimitiveName) as unknown;
  if (convert !== undefined && convert !== null)
    return primitive(apply(convert as () => unknown, value, ["default"]));
  const asValue = get(value, "valueOf") as unknown;
  const answer = typeof asValue === "function" ? apply(asValue, value, []) : value;
  if (!isObject(answer)) return answer;
  const asText = get(value, "toString") as unknown;
  return primitive(typeof asText === "function" ? apply(asText, value, []) : value);
}

function primitive(answer: unknown): unknown {
  if (isObject(answer))
    throw new RealTypeError("An object cannot be made into a plain value: it answers with an object.");
  return answer;
}

/** The parts as one text. */
export function joined(...parts: readonly (string | number | bigint)[]): string {
  let text = "";
  for (let place = 0; place < parts.length; place += 1) text += parts[place];
  return text;
}

const RealString = String;

/** A value as a text, as a template text makes it. @throws TypeError for a symbol. */
export function toText(value: unknown): string {
  if (typeof value === "symbol") throw new RealTypeError("A symbol cannot be made into a text.");
  return RealString(value);
}

export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
