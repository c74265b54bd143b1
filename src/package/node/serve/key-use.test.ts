/** Limits of a key, with a clock that the test controls. */
import { expect, test } from "vitest";
import { KeyUse } from "./key-use.ts";

function useOf(limits: { concurrent?: number; rpm?: number | null; tpm?: number | null }) {
  const clock = { now: 0 };
  const use = new KeyUse({ concurrent: 64, rpm: null, tpm: null, ...limits }, () => clock.now);
  return { clock, use };
}

test("requests at once: one more is refused until one has ended", () => {
  const { use } = useOf({ concurrent: 2 });
  expect([use.enter().refusal, use.enter().refusal]).toEqual([null, null]);
  const { refusal, headers } = use.enter();
  expect([refusal?.status, refusal?.code]).toEqual([429, "rate_limit_exceeded"]);
  expect(headers).toEqual({ "retry-after": "1", "x-should-retry": "true" });
  use.leave();
  expect(use.enter().refusal).toBeNull();
});

test("requests a minute: they come back evenly", () => {
  const { use, clock } = useOf({ rpm: 6 });
  for (let left = 5; left >= 0; left--) {
    expect(use.enter()).toMatchObject({
      refusal: null,
      headers: { "x-ratelimit-limit-requests": "6", "x-ratelimit-remaining-requests": String(left) },
    });
  }
  expect(use.enter()).toMatchObject({
    refusal: { message: "This key may make 6 requests a minute: try again in 10 s." },
    headers: {
      "retry-after": "10",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "1m0s",
    },
  });
  clock.now = 9_000;
  expect(use.enter().headers["retry-after"]).toBe("1");
  clock.now = 10_000;
  expect(use.enter().refusal).toBeNull();
  expect(use.enter().refusal?.status).toBe(429);
  clock.now = 1_000_000;
  expect(use.enter().headers["x-ratelimit-remaining-requests"]).toBe("5");
});

test("tokens a minute: they are counted when they were used, and what was too much is waited for", () => {
  const { use, clock } = useOf({ tpm: 600 });
  expect(use.enter().headers).toEqual({
    "x-ratelimit-limit-tokens": "600",
    "x-ratelimit-remaining-tokens": "600",
    "x-ratelimit-reset-tokens": "0ms",
  });
  use.spend(1_199);
  expect(use.enter()).toMatchObject({
    refusal: { message: "This key may use 600 tokens a minute: try again in 60 s." },
    headers: { "retry-after": "60", "x-ratelimit-remaining-tokens": "0" },
  });
  clock.now = 60_000;
  expect(use.enter().refusal).toBeNull();
});

test("a clock that stands still, and refused requests, take nothing", () => {
  const { use } = useOf({ rpm: 1 });
  use.enter();
  for (let count = 0; count < 1_000; count++) use.enter();
  expect(use.enter().headers["retry-after"]).toBe("60");
});
