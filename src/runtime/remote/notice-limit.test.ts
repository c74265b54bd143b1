import { expect, test } from "vitest";
import { NoticeLimit } from "./notice-limit.ts";

test("a notice is given at once, then once a minute with the number that was left out, for each kind", () => {
  const limit = new NoticeLimit();
  expect(limit.admit("cache", "Lost.", 0)).toBe("Lost.");
  for (let at = 1; at <= 40; at++) expect(limit.admit("cache", "Lost.", 1_000 * at)).toBeNull();
  expect(limit.admit("stream", "Ended.", 2_000)).toBe("Ended.");
  expect(limit.admit("cache", "Lost.", 60_000)).toBe("Lost. (40 more such notices since the last one.)");
  expect(limit.admit("cache", "Lost.", 130_000)).toBe("Lost.");
});
