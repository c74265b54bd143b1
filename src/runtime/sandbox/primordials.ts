/**
 * Copies of the language's built-ins, made before any mod runs. A mod may replace every built-in, and the sandbox's own code
 * runs in the same realm, so that code uses only these copies. It never spreads, destructures or iterates, and reads only
 * own properties of objects: everything else would use `Symbol.iterator` or `Object.prototype`, which a mod may have
 * replaced. It uses no template literals, because QuickJS joins them by `String.prototype.concat`, which a mod may have
 * replaced too.
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

/** Turns a method into a function whose first argument is the object: `uncurry(text.slice)("abc", 1)`. Calling it reads no property. */
export const uncurry = bind.bind(call as never) as unknown as Uncurry;

export const executeRegExp = uncurry(RegExp.prototype.exec);
export const toLowerCase = uncurry(String.prototype.toLowerCase);
export const padStart = uncurry(String.prototype.padStart);

/** Converts a value to a primitive as an operator does: calls each of the object's own methods once, in the language's order. */
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
    throw new RealTypeError(
      "An object cannot be converted to a string or a number: its conversion method returns an object.",
    );
  return answer;
}

/** Joins the parts to one text. */
export function joinText(...parts: readonly (string | number | bigint)[]): string {
  let text = "";
  for (let place = 0; place < parts.length; place += 1) text += parts[place];
  return text;
}

const RealString = String;

/** A value as text, as in a template literal. @throws TypeError for a symbol */
export function toText(value: unknown): string {
  if (typeof value === "symbol") throw new RealTypeError("A symbol cannot be converted to text.");
  return RealString(value);
}

export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
