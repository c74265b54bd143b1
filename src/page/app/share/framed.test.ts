import { expect, test } from "vitest";
import { isFramedByAnother } from "./framed.ts";

type Framed = Parameters<typeof isFramedByAnother>[0];

/** Windows inside one another, the outermost first; "closed" is one of another origin, as a browser shows it. */
function windows(...origins: string[]): Framed {
  let inner: Framed | null = null;
  for (const origin of origins) {
    const parent: Framed | null = inner;
    const window = {
      get parent(): Framed {
        return parent ?? (window as Framed);
      },
      get location() {
        if (origin === "closed") throw new DOMException("Blocked a frame", "SecurityError");
        return { origin };
      },
    };
    inner = window;
  }
  if (!inner) throw new Error("Give an origin.");
  return inner;
}

const own = "https://here.example";

test.each([
  ["a tab of its own", [own], false],
  ["a frame in a page of its own", [own, own], false],
  ["a frame in another's page", ["closed", own], true],
  ["a frame in a page of its own that is in another's", ["closed", own, own], true],
  ["a frame in another's in a page of its own", [own, "closed", own], true],
  ["a sandboxed frame, without an origin", ["null", "null"], true],
])("%s", (_, origins, expected) => {
  expect(isFramedByAnother(windows(...origins))).toBe(expected);
});
