import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createTestStores } from "./testing/test-stores.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const storages = { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() };

function storesWith() {
  const setMemoryBudget = vi.fn();
  return { stores: createTestStores({ storages, session: { setMemoryBudget } }), setMemoryBudget };
}

test("what is typed counts once it stands, is kept, and is handed on by the next page at once", () => {
  const { stores, setMemoryBudget } = storesWith();
  expect(setMemoryBudget).not.toHaveBeenCalled();
  const { change } = stores.settings.getState();
  change({ memoryBudget: 1e9 });
  vi.advanceTimersByTime(500);
  change({ memoryBudget: 12e9 });
  vi.advanceTimersByTime(900);
  expect(setMemoryBudget).not.toHaveBeenCalled();
  vi.advanceTimersByTime(200);
  expect(setMemoryBudget.mock.calls).toEqual([[12e9]]);
  const next = storesWith();
  expect(next.setMemoryBudget.mock.calls).toEqual([[12e9]]);
  next.stores.settings.getState().change({ memoryBudget: null });
  vi.advanceTimersByTime(1000);
  // Node tells of no memory.
  expect(next.setMemoryBudget.mock.lastCall).toEqual([4e9]);
});
