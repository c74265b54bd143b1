/**
 * The methods of numbers, dates and texts that ask for a language: as a browser answers for `en-US` and UTC, which is what
 * it answers a mod that names none. Anything else is refused with words: QuickJS knows no other languages, and would answer
 * something else than a browser does.
 */
import { refusal } from "./refusing-intl.ts";

const { apply } = Reflect;
const { isNaN: isNotNumber } = Number;

/** Replaces them in `realm`, once. Everything that they use later is taken here. */
export function pinLocaleTexts(realm: typeof globalThis): void {
  const { toLowerCase, toUpperCase } = realm.String.prototype;
  methods(realm.String.prototype, {
    toLocaleLowerCase(this: unknown, locales?: unknown) {
      checkLocale("toLocaleLowerCase", locales, undefined);
      return apply(toLowerCase, this, []);
    },
    toLocaleUpperCase(this: unknown, locales?: unknown) {
      checkLocale("toLocaleUpperCase", locales, undefined);
      return apply(toUpperCase, this, []);
    },
    localeCompare() {
      throw new TypeError(refusal("localeCompare"));
    },
  });
  methods(realm.Number.prototype, {
    toLocaleString(this: unknown, locales?: unknown, options?: unknown) {
      checkLocale("toLocaleString", locales, options);
      return numberText(Number(this));
    },
  });
  methods(realm.BigInt.prototype, {
    toLocaleString(this: unknown, locales?: unknown, options?: unknown) {
      checkLocale("toLocaleString", locales, options);
      return grouped(`${this}`);
    },
  });
  methods(realm.Date.prototype, dateMethods(realm.Date.prototype));
}

function methods(prototype: object, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(prototype, name, { value, writable: true, enumerable: false, configurable: true });
  }
}

/** @throws TypeError for another locale than English as in the United States, and for options. */
function checkLocale(method: string, locales: unknown, options: unknown): void {
  const known = locales === undefined || locales === "en" || locales === "en-US";
  if (!known) throw new TypeError(refusal(`${method} with the locale ${String(locales)}`));
  if (options !== undefined) throw new TypeError(refusal(`${method} with options`));
}

/** Three digits at most after the point, the half away from nothing, commas between thousands. */
export function numberText(value: number): string {
  if (isNotNumber(value)) return "NaN";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const size = sign === "" ? value : -value;
  if (size === Infinity) return `${sign}∞`;
  const [whole = "0", digits = ""] = plainDigits(size).split(".");
  const kept = `${whole}${digits.slice(0, 3).padEnd(3, "0")}`;
  const isUp = digits.length > 3 && digits.charCodeAt(3) >= 53;
  const thousandths = `${BigInt(kept) + (isUp ? 1n : 0n)}`.padStart(4, "0");
  const fraction = thousandths.slice(-3).replace(/0+$/, "");
  return `${sign}${grouped(thousandths.slice(0, -3))}${fraction && `.${fraction}`}`;
}

/** The shortest digits that name the number, without an exponent. */
function plainDigits(size: number): string {
  const text = `${size}`;
  const [mantissa = "", exponent] = text.split("e");
  if (exponent === undefined) return text;
  const [whole = "", digits = ""] = mantissa.split(".");
  const power = Number(exponent);
  if (power < 0) return `0.${"0".repeat(-power - 1)}${whole}${digits}`;
  return `${whole}${digits.padEnd(power, "0")}`;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ",");
}

function dateMethods(prototype: Date): Record<string, unknown> {
  const { getTime, getUTCDate, getUTCFullYear, getUTCHours, getUTCMinutes, getUTCMonth, getUTCSeconds } =
    prototype;
  const read = (method: (this: Date) => number, date: unknown) => apply(method, date, []) as number;
  const dateText = (date: unknown) => {
    const year = read(getUTCFullYear, date);
    if (year <= 0) throw new TypeError(refusal("A date before the year 1 in the way of a language"));
    return `${read(getUTCMonth, date) + 1}/${read(getUTCDate, date)}/${year}`;
  };
  const timeText = (date: unknown) => {
    const hours = read(getUTCHours, date);
    const two = (value: number) => `${value}`.padStart(2, "0");
    const minutes = two(read(getUTCMinutes, date));
    return `${hours % 12 || 12}:${minutes}:${two(read(getUTCSeconds, date))} ${hours < 12 ? "AM" : "PM"}`;
  };
  const asked = (name: string, text: (date: unknown) => string) =>
    ({
      [name](this: unknown, locales?: unknown, options?: unknown) {
        checkLocale(name, locales, options);
        const time = read(getTime, this);
        return isNotNumber(time) ? "Invalid Date" : text(this);
      },
    })[name];
  return {
    toLocaleString: asked("toLocaleString", (date) => `${dateText(date)}, ${timeText(date)}`),
    toLocaleDateString: asked("toLocaleDateString", dateText),
    toLocaleTimeString: asked("toLocaleTimeString", timeText),
  };
}
