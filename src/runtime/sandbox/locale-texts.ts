/**
 * The methods of numbers, dates and texts that depend on a language. They return what a browser returns for `en-US` and UTC.
 * Other languages, and options, are refused, because their results depend on the machine.
 */
import { compareInEnglishOrder } from "./compare-texts.ts";
import { apply, isNotNumber, joinText, padStart, toText, uncurry } from "./primordials.ts";
import { localeRefusalError } from "./refusing-intl.ts";
import { defineBuiltIns } from "./virtual-clock.ts";

const slice = uncurry(String.prototype.slice);
const charCodeAt = uncurry(String.prototype.charCodeAt);
const indexOf = uncurry(String.prototype.indexOf as (text: string) => number);
const padEnd = uncurry(String.prototype.padEnd as (length: number, filler: string) => string);
const repeat = uncurry(String.prototype.repeat);
const toBigInt = BigInt;

/** Replaces the methods in `realm`, once. All built-ins that the new methods use are saved before a mod runs. */
export function pinLocaleTexts(realm: typeof globalThis): void {
  const { toLowerCase, toUpperCase } = realm.String.prototype;
  const numberOf = uncurry(realm.Number.prototype.valueOf);
  const digitsOf = uncurry(realm.BigInt.prototype.toString as () => string);
  defineBuiltIns(realm.String.prototype, {
    toLocaleLowerCase(this: unknown, locales?: unknown) {
      checkLocale("toLocaleLowerCase", locales, undefined);
      return apply(toLowerCase, this, []);
    },
    toLocaleUpperCase(this: unknown, locales?: unknown) {
      checkLocale("toLocaleUpperCase", locales, undefined);
      return apply(toUpperCase, this, []);
    },
    localeCompare(this: unknown, other: unknown, locales?: unknown, options?: unknown) {
      checkLocale("localeCompare", locales, options);
      return compareInEnglishOrder(toText(this), toText(other));
    },
  });
  defineBuiltIns(realm.Number.prototype, {
    toLocaleString(this: unknown, locales?: unknown, options?: unknown) {
      checkLocale("toLocaleString", locales, options);
      return formatEnglishNumber(numberOf(this as number));
    },
  });
  defineBuiltIns(realm.BigInt.prototype, {
    toLocaleString(this: unknown, locales?: unknown, options?: unknown) {
      checkLocale("toLocaleString", locales, options);
      const text = digitsOf(this as bigint);
      return charCodeAt(text, 0) === minus ? joinText("-", grouped(slice(text, 1))) : grouped(text);
    },
  });
  defineBuiltIns(realm.Date.prototype, dateMethods(realm.Date.prototype));
}

const minus = 45;

/** @throws TypeError for a locale other than US English, and for options. */
function checkLocale(method: string, locales: unknown, options: unknown): void {
  const isKnown = locales === undefined || locales === "en" || locales === "en-US";
  if (!isKnown) throw localeRefusalError(joinText(method, " with a locale other than en-US"));
  if (options !== undefined) throw localeRefusalError(joinText(method, " with options"));
}

/** At most three digits after the decimal point, halves rounded away from 0, commas between thousands. */
export function formatEnglishNumber(value: number): string {
  if (isNotNumber(value)) return "NaN";
  const isNegative = value < 0 || (value === 0 && 1 / value < 0);
  const sign = isNegative ? "-" : "";
  const size = isNegative ? -value : value;
  if (size === Infinity) return joinText(sign, "∞");
  const text = plainDigits(size);
  const point = indexOf(text, ".");
  const whole = point < 0 ? text : slice(text, 0, point);
  const digits = point < 0 ? "" : slice(text, point + 1);
  const kept = toBigInt(joinText(whole, padEnd(slice(digits, 0, 3), 3, "0")));
  const isUp = digits.length > 3 && charCodeAt(digits, 3) >= 53;
  const thousandths = padStart(joinText(isUp ? kept + 1n : kept), 4, "0");
  const fraction = withoutZeros(slice(thousandths, -3));
  return joinText(sign, grouped(slice(thousandths, 0, -3)), fraction === "" ? "" : ".", fraction);
}

/** The digits without the zeros at the end. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && charCodeAt(digits, end - 1) === 48) end -= 1;
  return slice(digits, 0, end);
}

/** The shortest digits that name the number, without an exponent. */
function plainDigits(size: number): string {
  const text = joinText(size);
  const mark = indexOf(text, "e");
  if (mark < 0) return text;
  const mantissa = slice(text, 0, mark);
  const power = +slice(text, mark + 1);
  const point = indexOf(mantissa, ".");
  const whole = point < 0 ? mantissa : slice(mantissa, 0, point);
  const digits = point < 0 ? "" : slice(mantissa, point + 1);
  if (power < 0) return joinText("0.", repeat("0", -power - 1), whole, digits);
  return joinText(whole, padEnd(digits, power, "0"));
}

function grouped(digits: string): string {
  let text = "";
  let end = digits.length;
  for (; end > 3; end -= 3) text = joinText(",", slice(digits, end - 3, end), text);
  return joinText(slice(digits, 0, end), text);
}

function dateMethods(prototype: Date): Record<string, unknown> {
  const time = uncurry(prototype.getTime);
  const year = uncurry(prototype.getUTCFullYear);
  const month = uncurry(prototype.getUTCMonth);
  const day = uncurry(prototype.getUTCDate);
  const hour = uncurry(prototype.getUTCHours);
  const minute = uncurry(prototype.getUTCMinutes);
  const second = uncurry(prototype.getUTCSeconds);
  const two = (value: number) => padStart(joinText(value), 2, "0");
  const formatDate = (date: Date) => {
    if (year(date) <= 0) throw localeRefusalError("Formatting a date before the year 1");
    return joinText(month(date) + 1, "/", day(date), "/", year(date));
  };
  const formatTime = (date: Date) => {
    const hours = hour(date);
    const half = hours < 12 ? "AM" : "PM";
    return joinText(hours % 12 || 12, ":", two(minute(date)), ":", two(second(date)), " ", half);
  };
  const method = (name: string, text: (date: Date) => string) =>
    ({
      [name](this: unknown, locales?: unknown, options?: unknown) {
        checkLocale(name, locales, options);
        return isNotNumber(time(this as Date)) ? "Invalid Date" : text(this as Date);
      },
    })[name];
  return {
    toLocaleString: method("toLocaleString", (date) => joinText(formatDate(date), ", ", formatTime(date))),
    toLocaleDateString: method("toLocaleDateString", formatDate),
    toLocaleTimeString: method("toLocaleTimeString", formatTime),
  };
}
