import { beforeEach, expect, test, vi } from "vitest";

beforeEach(() => vi.resetModules());

/** As a browser that blocks site data answers for `window.localStorage`. */
function block(): void {
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        throw new DOMException("Access is denied for this document.", "SecurityError");
      },
    });
  }
}

test("a page whose site data is blocked saves in memory", async () => {
  const before = ["localStorage", "sessionStorage"].map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  block();
  try {
    const { browserStorages } = await import("./browser-storage.ts");
    const { browser, tab, isBlocked } = browserStorages();
    expect(isBlocked).toBe(true);
    browser.setItem("a", "1");
    expect([browser.getItem("a"), tab.getItem("a"), browser.length, browser.key(0)]).toEqual([
      "1",
      null,
      1,
      "a",
    ]);
    expect(browserStorages().browser.getItem("a")).toBe("1");
    browser.removeItem("a");
    expect(browser.getItem("a")).toBeNull();
    const { isOfflineWanted, chooseOfflineUse } = await import("../offline/offline-choice.ts");
    chooseOfflineUse(false);
    expect(isOfflineWanted()).toBe(false);
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  }
});
