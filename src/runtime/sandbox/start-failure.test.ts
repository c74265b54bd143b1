import { expect, test } from "vitest";
import { describeStartFailure } from "./start-failure.ts";

test("a worker that the browser refused names the policy, not an undefined message", () => {
  const refused = { message: "undefined", line: Number.NaN };
  expect(describeStartFailure(refused, undefined, 20)).toMatch(
    /refused its worker\. .*"blob:" workers.*sandboxUrl/,
  );
  expect(describeStartFailure(refused, "/sandbox.html", 20)).toMatch(
    /refused its worker\. Check that \/sandbox\.html .*extension.*content_security_policy\.sandbox/,
  );
});

test("an error in the guest's program is told with its line", () => {
  expect(describeStartFailure({ message: "no parts", line: 3 }, undefined, 20)).toBe(
    "The mod's sandbox could not start: no parts (line 3).",
  );
});

test("a silent frame is told with how long was waited, and what to check", () => {
  expect(describeStartFailure(null, undefined, 20)).toMatch(
    /within 20 s\. Check the page's content security policy/,
  );
  expect(describeStartFailure(null, "/box.html", 20)).toMatch(
    /within 20 s\. Check that \/box\.html is the package's/,
  );
});
