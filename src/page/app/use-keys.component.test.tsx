// @vitest-environment happy-dom
import { useLayoutEffect } from "react";
import { expect, test, vi } from "vitest";
import { render } from "../../view/ui/testing/render.ts";
import { createTestStores } from "./store/testing/test-stores.ts";
import { useKeys } from "./use-keys.ts";

test("a key is heard as soon as the page is drawn, before effects that come after the drawing", async () => {
  const stores = createTestStores();
  const share = vi.fn();
  function Page() {
    useKeys(stores, { help() {}, share });
    useLayoutEffect(() => {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "s", bubbles: true }));
    }, []);
    return null;
  }
  await render(<Page />);
  expect(share).toHaveBeenCalledOnce();
});
