/** The replaced Date and its English texts on a machine in India, compared with the real ones on a machine in UTC. */
import { createContext, runInContext } from "node:vm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pinLocaleTexts } from "./locale-texts.ts";
import { createVirtualClock, pinDate } from "./virtual-clock.ts";

const zone = process.env.TZ;
const setZone = (name: string | undefined) => {
  if (name === undefined) delete process.env.TZ;
  else process.env.TZ = name;
};

const clock = createVirtualClock();
const context = createContext({});
const realm = runInContext("globalThis", context) as typeof globalThis;

beforeAll(() => {
  setZone("Asia/Kolkata");
  pinDate(realm, clock);
  pinLocaleTexts(realm);
});
afterAll(() => setZone(zone));

/** The result with the replaced Date, in India. */
function pinned(expression: string): unknown {
  setZone("Asia/Kolkata");
  return runInContext(expression, context);
}

/** The result with the real Date, in UTC. */
function real(expression: string): unknown {
  setZone("UTC");
  try {
    return runInContext(expression, createContext({}));
  } finally {
    setZone("Asia/Kolkata");
  }
}

test("the machine of this test is in India", () => {
  expect(new Date(0).getTimezoneOffset()).toBe(-330);
});

test("the clock stands still within an event, and starts where the seed says", () => {
  clock.start(5);
  expect(pinned("[Date.now(), new Date().getTime(), +new Date(), Date.parse(Date())]")).toEqual([
    ...[946_684_800_005, 946_684_800_005, 946_684_800_005, 946_684_800_000],
  ]);
  clock.tick();
  expect(pinned("Date.now()")).toBe(946_684_800_006);
  clock.start(-1);
  expect(pinned("Date.now()")).toBe(946_684_800_000 + 0xffffffff);
});

test("now, as a text", () => {
  clock.start(0);
  expect(pinned("new Date().toLocaleString()")).toBe("1/1/2000, 12:00:00 AM");
});

const methods =
  "getDate getDay getFullYear getHours getMilliseconds getMinutes getMonth getSeconds getTimezoneOffset getYear toString toDateString toTimeString toISOString toUTCString toJSON valueOf";

test.each(methods.split(" "))("%s is that of a machine in UTC", (method) => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      const expression = `new Date(${date.getTime()}).${method}()`;
      expect(pinned(expression)).toEqual(real(expression));
    }),
    { numRuns: 50 },
  );
});

test.each([
  "setDate(31)",
  "setFullYear(1999, 1, 29)",
  "setHours(5, 6, 7, 8)",
  "setMilliseconds(1001)",
  "setMinutes(61, 2)",
  "setMonth(13)",
  "setSeconds(-1)",
  "setYear(75)",
  "setTime(5)",
  "setYear(2020.7)",
])("%s is that of a machine in UTC", (call) => {
  const expression = `new Date(1e12).${call}`;
  expect(pinned(expression)).toEqual(real(expression));
});

test.each([
  "+new Date(2020, 5)",
  "+new Date(2020, 5, 6, 7, 8, 9, 10)",
  "+new Date(99, 0)",
  "+new Date(NaN)",
  "+new Date(true)",
  "+new Date(null)",
  "+new Date(new Date(77))",
  "+new Date({ valueOf: () => 3 })",
  "+new Date({ toString: () => '2020-01-01', valueOf: () => ({}) })",
  "new Date(NaN).toString()",
  "new Date(NaN).getTimezoneOffset()",
  "String(new Date(0)) + (new Date(0) + 1)",
  "JSON.stringify(new Date(0))",
  "Date.UTC(2020, 1)",
  "Date.length + Date.name",
  "new Date(0) instanceof Date && new Date(0).constructor === Date",
  "class Mine extends Date {}; new Mine(5) instanceof Mine && new Mine(5).getTime()",
  "Object.prototype.toString.call(new Date())",
  ...["2020", "2020-02", "2020-02-29", "2020-13-01", "2020-01-01T24:00:00", "2020-01-01T24:00:01"].map(
    (text) => `Date.parse("${text}")`,
  ),
  ...[
    "2020-01-01T10:20",
    "2020-01-01T10:20:30.5",
    "2020-01-01T10:20:30.123Z",
    "2020-01-01T10:20:30+05:30",
  ].map((text) => `Date.parse("${text}")`),
  ...[
    "+012020-01-01T00:00:00Z",
    "-000001-01-01T00:00:00Z",
    "-000000-01-01T00:00:00Z",
    "0050-03-01",
    "not a date",
  ].map((text) => `Date.parse("${text}")`),
  ...[
    "Tue, 01 Feb 2000 00:00:00 GMT",
    "Jan 5, 2000",
    "5 Jan 2000 10:20",
    "Tue Feb 01 2000 10:20:30 GMT+0530 (IST)",
  ].map((text) => `Date.parse("${text}")`),
])("%s is that of a machine in UTC", (expression) => {
  expect(pinned(expression)).toEqual(real(expression));
});

test("a day that the month does not have is no date: browsers differ on it", () => {
  expect(pinned(`Date.parse("2021-02-29")`)).toBeNaN();
});

test("what a date says of itself, it reads again", () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date("0000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
      (date) => {
        const time = date.getTime();
        const seconds = Math.floor(time / 1000) * 1000;
        expect(pinned(`Date.parse(new Date(${time}).toISOString())`)).toBe(time);
        expect(pinned(`Date.parse(new Date(${time}).toString())`)).toBe(seconds);
        expect(pinned(`Date.parse(new Date(${time}).toUTCString())`)).toBe(seconds);
      },
    ),
  );
});

test.each([
  [`new Date(0).toLocaleString()`, "1/1/1970, 12:00:00 AM"],
  [`new Date(0).toLocaleDateString("en-US")`, "1/1/1970"],
  [`(1234.5).toLocaleString() + (1234n).toLocaleString() + [1234.5].toLocaleString()`, "1,234.51,2341,234.5"],
  [`"I".toLocaleLowerCase() + "I".toLocaleLowerCase("en")`, "ii"],
  [`["ä", "a", "z"].sort((a, b) => a.localeCompare(b)).join("")`, "aäz"],
])("%s is %s", (expression, expected) => {
  expect(pinned(expression)).toBe(expected);
});
