/** The limits of a run: kept, taken over from a record, and sent with a request. */
import { expect, test } from "vitest";
import { requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { checkRequestLimits, limitRanges } from "../../../runtime/session/shared/request-limits.ts";
import { forkIntoEditor } from "./fork.ts";
import { defaultLimits, type LimitSettings, limitsOfRecord, parseLimits } from "./limit-settings.ts";
import { runRequestOf } from "./start-run.ts";
import { createTestStores } from "./testing/test-stores.ts";

test.each<[string, unknown, LimitSettings]>([
  ["nothing", null, defaultLimits],
  ["what is sound", { budget: 9, deadlines: { event: 1000 } }, { budget: 9, deadlines: { event: 1000 } }],
  [
    "each that is sound",
    { budget: 0.5, deadlines: { load: 600_000, event: 0, other: 5 } },
    { budget: null, deadlines: { load: 600_000 } },
  ],
  ["none that is too long", { budget: 1e12, deadlines: { load: 600_001, prefilled: "2" } }, defaultLimits],
])("from storage: %s", (_what, value, limits) => {
  expect(parseLimits(value)).toEqual(limits);
});

test.each<[string, Parameters<typeof requestRecord>[0], LimitSettings]>([
  [
    "the defaults",
    { maxTokens: 10, budget: 104, deadlines: { load: 2000, prefilled: 2000, event: 250 } },
    defaultLimits,
  ],
  [
    "others",
    { maxTokens: 10, budget: 105, deadlines: { load: 2000, prefilled: 2000, event: 251 } },
    { budget: 105, deadlines: { event: 251 } },
  ],
  ["deadlines that were not recorded", { maxTokens: 10, budget: 104, deadlines: null }, defaultLimits],
  [
    "what no request may have",
    { maxTokens: 10, budget: 0, deadlines: { load: 1e9, prefilled: 0, event: 250 } },
    { budget: 1, deadlines: { load: 600_000, prefilled: 1 } },
  ],
])("from a record: %s", (_what, record, limits) => {
  expect(limitsOfRecord(requestRecord(record))).toEqual(limits);
});

test("a fork takes them over, a run sends them, and an undo takes them back", async () => {
  const stores = createTestStores();
  stores.settings.getState().change({ limits: { budget: 7, deadlines: {} } });
  await forkIntoEditor(
    stores,
    requestRecord({ maxTokens: 10, budget: 50, deadlines: { load: 1, prefilled: 2000, event: 9 } }),
  );
  const request = runRequestOf(stores, []);
  expect(request).toMatchObject({ budget: 50, deadlines: { load: 1, event: 9 } });
  expect(() => checkRequestLimits(request)).not.toThrow();
  stores.notices.getState().notices[0]?.action?.run();
  expect(runRequestOf(stores, [])).toMatchObject({ budget: 7, deadlines: {} });
});

test("a run without limits of its own sends none", () => {
  expect(runRequestOf(createTestStores(), [])).not.toHaveProperty("budget");
});

test.each([0, 1.5, limitRanges.budget.max + 1])(
  "a budget of %d is refused when the request starts",
  (budget) => {
    expect(() => checkRequestLimits({ mods: [], budget })).toThrow(
      `The request's "budget" is ${budget}: give a whole number of forward passes from 1 to 10000000.`,
    );
  },
);
