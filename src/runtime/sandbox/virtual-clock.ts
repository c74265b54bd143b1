/**
 * A clock that counts events, in UTC everywhere, instead of the machine's clock. Every request starts early in the year
 * 2000, at a moment that its seed determines, and every event adds a millisecond.
 */
import {
  apply,
  construct,
  executeRegExp,
  isNotNumber,
  isObject,
  joinText,
  notNumber,
  padStart,
  toLowerCase,
  toPrimitive,
  toText,
  trunc,
  uncurry,
} from "./primordials.ts";

const year2000 = 946_684_800_000;

export interface VirtualClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Restarts the clock. `seed` has 32 bits. */
  start(seed: number): void;
  /** Advances by one event. */
  tick(): void;
}

export function createVirtualClock(): VirtualClock {
  let time = year2000;
  return {
    now: () => time,
    start(seed) {
      time = year2000 + (seed >>> 0);
    },
    tick() {
      time += 1;
    },
  };
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * Replaces the realm's `Date` with one that reads `clock`, in UTC. Its texts are those of a browser in UTC. A mod's argument
 * is converted to a number here, once, so that the real `Date` only gets numbers.
 */
export function pinDate(realm: typeof globalThis, clock: VirtualClock): void {
  const RealDate = realm.Date;
  const { UTC } = RealDate;
  const getTime = uncurry(RealDate.prototype.getTime);
  const methods = universalMethods(RealDate);
  const textOf = uncurry(methods.toString as (this: Date) => string);

  function PinnedDate(this: unknown, ...parts: unknown[]): unknown {
    if (new.target === undefined) return textOf(new RealDate(clock.now()));
    return construct(RealDate, [timeOf(parts)], new.target);
  }

  function timeOf(parts: readonly unknown[]): number {
    if (parts.length === 0) return clock.now();
    if (parts.length > 1) return apply(UTC, undefined, parts);
    const value = parts[0];
    if (isObject(value)) {
      try {
        return getTime(value as Date);
      } catch {
        // The object is not a Date.
      }
    }
    const plain = toPrimitive(value);
    return typeof plain === "string" ? parseDate(plain, UTC) : +(plain as number);
  }

  defineBuiltIns(PinnedDate, {
    now: () => clock.now(),
    UTC,
    parse: (text: unknown) => parseDate(toText(text), UTC),
  });
  copyConstructorProperties(PinnedDate, RealDate);
  defineBuiltIns(RealDate.prototype, { constructor: PinnedDate, ...methods });
  defineBuiltIns(realm, { Date: PinnedDate });
}

/** Gives a constructor the properties of the constructor that it replaces. */
export function copyConstructorProperties(
  pinned: object,
  { name, length, prototype }: { name: string; length: number; prototype: unknown },
): void {
  Object.defineProperty(pinned, "name", { value: name, configurable: true });
  Object.defineProperty(pinned, "length", { value: length, configurable: true });
  Object.defineProperty(pinned, "prototype", { value: prototype, writable: false });
}

/** The methods that would use the machine's time zone, with their UTC counterparts. */
function universalMethods(RealDate: DateConstructor): Record<string, unknown> {
  const own = RealDate.prototype as unknown as Record<string, (...values: unknown[]) => unknown>;
  const fields = ["Date", "Day", "FullYear", "Hours", "Milliseconds", "Minutes", "Month", "Seconds"];
  const { formatDate, formatTime, getTime, getUTCFullYear, setUTCFullYear } = dateTexts(RealDate.prototype);
  const methods: Record<string, unknown> = {
    getTimezoneOffset(this: Date) {
      const time = getTime(this);
      return isNotNumber(time) ? time : 0;
    },
    toString(this: Date) {
      return isNotNumber(getTime(this)) ? "Invalid Date" : joinText(formatDate(this), " ", formatTime(this));
    },
    toDateString(this: Date) {
      return isNotNumber(getTime(this)) ? "Invalid Date" : formatDate(this);
    },
    toTimeString(this: Date) {
      return isNotNumber(getTime(this)) ? "Invalid Date" : formatTime(this);
    },
    getYear(this: Date) {
      return getUTCFullYear(this) - 1900;
    },
    setYear(this: Date, year: unknown) {
      getTime(this);
      const number = +(year as number);
      const whole = trunc(number);
      return setUTCFullYear(this, whole >= 0 && whole <= 99 ? 1900 + whole : number);
    },
  };
  for (const field of fields) {
    methods[`get${field}`] = own[`getUTC${field}`];
    if (field !== "Day") methods[`set${field}`] = own[`setUTC${field}`];
  }
  return methods;
}

function dateTexts(prototype: Date) {
  const getTime = uncurry(prototype.getTime);
  const getUTCFullYear = uncurry(prototype.getUTCFullYear);
  const setUTCFullYear = uncurry(prototype.setUTCFullYear as (this: Date, year: number) => number);
  const getUTCMonth = uncurry(prototype.getUTCMonth);
  const getUTCDate = uncurry(prototype.getUTCDate);
  const getUTCDay = uncurry(prototype.getUTCDay);
  const getUTCHours = uncurry(prototype.getUTCHours);
  const getUTCMinutes = uncurry(prototype.getUTCMinutes);
  const getUTCSeconds = uncurry(prototype.getUTCSeconds);
  const formatDate = (date: Date): string => {
    const year = getUTCFullYear(date);
    const written = year < 0 ? joinText("-", pad(-year, 4)) : pad(year, 4);
    const weekday = weekdays[getUTCDay(date)] as string;
    const month = months[getUTCMonth(date)] as string;
    return joinText(weekday, " ", month, " ", pad(getUTCDate(date)), " ", written);
  };
  const formatTime = (date: Date): string => {
    const hoursAndMinutes = joinText(pad(getUTCHours(date)), ":", pad(getUTCMinutes(date)));
    return joinText(hoursAndMinutes, ":", pad(getUTCSeconds(date)), " GMT+0000 (Coordinated Universal Time)");
  };
  return { formatDate, formatTime, getTime, getUTCFullYear, setUTCFullYear };
}

function pad(value: number, width = 2): string {
  return padStart(joinText(value), width, "0");
}

const isoFormat =
  /^([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?$/;
const textFormat =
  /^(?:[A-Za-z]{3},? )?(?:(\d{1,2}) ([A-Za-z]{3})|([A-Za-z]{3}) (\d{1,2}),?) (-?\d{4,6})(?: (\d\d):(\d\d)(?::(\d\d))?(?: (?:GMT|UTC|Z)?([+-]\d{4})?)?)?(?: \([^()]*\))?$/;
const offsetFormat = /^([+-])(\d\d):?(\d\d)$/;

/**
 * Parses ISO 8601 and the texts that dates themselves produce; a text without a zone is UTC. Any other text is NaN, because its
 * meaning differs between browsers and would reveal the machine's time zone.
 */
function parseDate(text: string, UTC: DateConstructor["UTC"]): number {
  const iso = executeRegExp(isoFormat, text);
  if (iso !== null) {
    if (iso[1] === "-000000") return notNumber;
    const milliseconds = trunc(+joinText("0.", iso[7] ?? "0") * 1000);
    const day = { year: numberOf(iso[1], 0), month: numberOf(iso[2], 1) - 1, day: numberOf(iso[3], 1) };
    return moment(
      UTC,
      day,
      [numberOf(iso[4], 0), numberOf(iso[5], 0), numberOf(iso[6], 0), milliseconds],
      iso[8],
    );
  }
  const words = executeRegExp(textFormat, text);
  if (words === null) return notNumber;
  const month = monthOf(words[2] ?? words[3] ?? "");
  const day = { year: numberOf(words[5], 0), month, day: numberOf(words[1] ?? words[4], 1) };
  return moment(UTC, day, [numberOf(words[6], 0), numberOf(words[7], 0), numberOf(words[8], 0), 0], words[9]);
}

function numberOf(digits: string | undefined, otherwise: number): number {
  return digits === undefined ? otherwise : +digits;
}

/** 0 for January; -1 if the name is no month. */
function monthOf(name: string): number {
  for (let month = 0; month < months.length; month++) {
    if (toLowerCase(months[month] as string) === toLowerCase(name)) return month;
  }
  return -1;
}

const millisecondsOfDay = 86_400_000;
const daysOf400Years = 146_097;

interface Day {
  readonly year: number;
  /** 0 for January. */
  readonly month: number;
  readonly day: number;
}

/** Hours, minutes, seconds, milliseconds. */
type Time = readonly [number, number, number, number];

function moment(
  UTC: DateConstructor["UTC"],
  { year, month, day }: Day,
  time: Time,
  zone: string | undefined,
): number {
  const hour = time[0];
  const minute = time[1];
  const second = time[2];
  const millisecond = time[3];
  if (month < 0 || month > 11 || day < 1 || day > daysOfMonth(UTC, year, month)) return notNumber;
  const isTime =
    minute < 60 && second < 60 && (hour < 24 || (hour === 24 && minute + second + millisecond === 0));
  if (!isTime) return notNumber;
  // UTC() reads years 0 to 99 as 1900 to 1999. Adding 400 years avoids this, because the calendar repeats every 400 years.
  const isEarly = year >= 0 && year <= 99;
  const shifted = UTC(isEarly ? year + 400 : year, month, day, hour, minute, second, millisecond);
  const local = shifted - (isEarly ? daysOf400Years * millisecondsOfDay : 0);
  const offset = zone === undefined ? null : executeRegExp(offsetFormat, zone);
  if (offset === null) return local;
  return (
    local - (offset[1] === "-" ? -1 : 1) * (numberOf(offset[2], 0) * 60 + numberOf(offset[3], 0)) * 60_000
  );
}

function daysOfMonth(UTC: DateConstructor["UTC"], year: number, month: number): number {
  const like = 2000 + (year % 400);
  return (UTC(like, month + 1) - UTC(like, month)) / millisecondsOfDay;
}

/** Defines properties with the attributes of built-ins: writable, configurable, not enumerable. */
export function defineBuiltIns(target: object, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
  }
}
