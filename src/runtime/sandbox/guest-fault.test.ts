/** The messages for values that a mod threw. */
import { expect, test } from "vitest";
import { toWireFault } from "./guest-fault.ts";

const unreadable = new Error();
Object.defineProperty(unreadable, "message", {
  get() {
    throw new Error("unreadable");
  },
});

test.each<[string, unknown, string]>([
  ["an error", new TypeError("no"), "TypeError: no"],
  ["a number", 3, "The mod threw 3, which is not an Error."],
  ["undefined", undefined, "The mod threw undefined, which is not an Error."],
  // QuickJS throws this if it has no memory for an error.
  [
    "null",
    null,
    "The mod threw null, because its memory is full or because its code throws null. Store less in variables, and throw only Error objects.",
  ],
  // QuickJS throws this if it has no memory for a message.
  [
    "an internal error without a message",
    Object.assign(new Error(""), { name: "InternalError" }),
    "InternalError: out of memory. Store less in variables.",
  ],
  [
    "an error without a readable message",
    unreadable,
    "The mod threw a value that cannot be read: throw an Error instead.",
  ],
])("%s", (_, thrown, words) => {
  expect(toWireFault(thrown, "mod.js")).toMatchObject({ kind: "threw", message: words });
});
