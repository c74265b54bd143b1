/**
 * A clock that counts events, in a time zone that is UTC everywhere, in place of the machine's. Every request starts
 * early in the year 2000, at a moment that its seed decides; every event is a millisecond later.
 */

const year2000 = 946_684_800_000;

export interface VirtualClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Starts anew. `seed` is 32-bit. */
  start(seed: number): void;
  /** One event later. */
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

/** Puts a `Date` in place of the realm's own that reads `clock`, in UTC. Its texts are those that a browser in UTC gives. */
export function pinDate(realm: typeof globalThis, clock: VirtualClock): void {
  const RealDate = realm.Date;
  const { UTC } = RealDate;

  function PinnedDate(this: unknown, ...parts: unknown[]): unknown {
    if (new.target === undefined) return new RealDate(clock.now()).toString();
    return Reflect.construct(RealDate, [timeOf(parts)], new.target);
  }

  function timeOf(parts: readonly unknown[]): unknown {
    if (parts.length === 0) return clock.now();
    if (parts.length > 1) return Reflect.apply(UTC, RealDate, parts);
    const [value] = parts;
    if (value instanceof RealDate) return value.getTime();
    const primitive = typeof value === "object" && value !== null ? toPrimitive(value) : value;
    return typeof primitive === "string" ? parseDate(primitive, UTC) : primitive;
  }

  PinnedDate.prototype = RealDate.prototype;
  define(PinnedDate, { now: () => clock.now(), UTC, parse: (text: unknown) => parseDate(String(text), UTC) });
  Object.defineProperty(PinnedDate, "name", { value: "Date", configurable: true });
  Object.defineProperty(PinnedDate, "length", { value: 7, configurable: true });
  define(RealDate.prototype, { constructor: PinnedDate, ...universalMethods(RealDate) });
  define(realm, { Date: PinnedDate });
}

/** The methods that would speak of the machine's time zone, by those that speak of UTC. */
function universalMethods(RealDate: DateConstructor): Record<string, unknown> {
  const own = RealDate.prototype as unknown as Record<string, (...values: unknown[]) => unknown>;
  const fields = ["Date", "Day", "FullYear", "Hours", "Milliseconds", "Minutes", "Month", "Seconds"];
  const methods: Record<string, unknown> = {
    getTimezoneOffset(this: Date) {
      return Number.isNaN(this.getTime()) ? Number.NaN : 0;
    },
    toString(this: Date) {
      return Number.isNaN(this.getTime()) ? "Invalid Date" : `${dateText(this)} ${timeText(this)}`;
    },
    toDateString(this: Date) {
      return Number.isNaN(this.getTime()) ? "Invalid Date" : dateText(this);
    },
    toTimeString(this: Date) {
      return Number.isNaN(this.getTime()) ? "Invalid Date" : timeText(this);
    },
    getYear(this: Date) {
      return this.getUTCFullYear() - 1900;
    },
    setYear(this: Date, year: unknown) {
      const number = Number(year);
      return this.setUTCFullYear(number >= 0 && number <= 99 ? 1900 + Math.trunc(number) : number);
    },
  };
  for (const field of fields) {
    methods[`get${field}`] = own[`getUTC${field}`];
    if (field !== "Day") methods[`set${field}`] = own[`setUTC${field}`];
  }
  return methods;
}

function dateText(date: Date): string {
  const year = date.getUTCFullYear();
  const written = `${year < 0 ? "-" : ""}${pad(Math.abs(year), 4)}`;
  return `${weekdays[date.getUTCDay()]} ${months[date.getUTCMonth()]} ${pad(date.getUTCDate())} ${written}`;
}

function timeText(date: Date): string {
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    .map((part) => pad(part))
    .join(":");
  return `${time} GMT+0000 (Coordinated Universal Time)`;
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, "0");
}

const isoFormat =
  /^([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?$/;
const textFormat =
  /^(?:[A-Za-z]{3},? )?(?:(\d{1,2}) ([A-Za-z]{3})|([A-Za-z]{3}) (\d{1,2}),?) (-?\d{4,6})(?: (\d\d):(\d\d)(?::(\d\d))?(?: (?:GMT|UTC|Z)?([+-]\d{4})?)?)?(?: \([^()]*\))?$/;

/**
 * ISO 8601, and the texts that dates themselves give; a text without a zone is UTC. Anything else is NaN: what a
 * browser makes of it differs from browser to browser, and would tell the machine's time zone.
 */
function parseDate(text: string, UTC: DateConstructor["UTC"]): number {
  const iso = isoFormat.exec(text);
  if (iso !== null) {
    const [, year, month = "1", day = "1", hour = "0", minute = "0", second = "0", fraction = "0", zone] =
      iso;
    if (year === "-000000") return Number.NaN;
    const milliseconds = Math.trunc(Number(`0.${fraction}`) * 1000);
    return moment(UTC, [year, Number(month) - 1, day, hour, minute, second, milliseconds], zone);
  }
  const words = textFormat.exec(text);
  if (words === null) return Number.NaN;
  const [, day1, month1, month2, day2, year, hour = "0", minute = "0", second = "0", zone] = words;
  const month = months.findIndex((name) => name.toLowerCase() === (month1 ?? month2)?.toLowerCase());
  return moment(UTC, [year, month, day1 ?? day2, hour, minute, second, 0], zone);
}

const daysOf400Years = 146_097;

function moment(UTC: DateConstructor["UTC"], parts: readonly unknown[], zone: string | undefined): number {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millisecond = 0] = parts.map(Number);
  const isDay =
    month >= 0 &&
    month <= 11 &&
    day >= 1 &&
    day <= new Date(UTC(2000 + (year % 400), month + 1, 0)).getUTCDate();
  const isTime =
    minute < 60 && second < 60 && (hour < 24 || (hour === 24 && minute + second + millisecond === 0));
  if (!isDay || !isTime) return Number.NaN;
  // UTC() reads years 0 to 99 as 1900 to 1999: four hundred years have the same days as any other four hundred.
  const isEarly = year >= 0 && year <= 99;
  const shifted = UTC(isEarly ? year + 400 : year, month, day, hour, minute, second, millisecond);
  const time = shifted - (isEarly ? daysOf400Years * 86_400_000 : 0);
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? "") ?? [];
  return time - (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function toPrimitive(value: object): unknown {
  const convert = (value as { [Symbol.toPrimitive]?: (hint: string) => unknown })[Symbol.toPrimitive];
  if (typeof convert === "function") return Reflect.apply(convert, value, ["default"]);
  const plain = value.valueOf();
  return typeof plain === "object" ? String(value) : plain;
}

/** Sets properties as a language's own built-ins have them. */
export function define(target: object, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
  }
}
