// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import { press, render } from "../../view/ui/testing/render.ts";
import { createTestStores } from "./store/testing/test-stores.ts";
import { useKeys } from "./use-keys.ts";

test.each([
  [false, 1],
  [true, 0],
])("a letter is a shortcut unless a dialog is open or on its way (%s)", async (isDialogOpen, times) => {
  const stores = createTestStores();
  const guide = vi.fn();
  function Page() {
    useKeys(stores, { guide, help() {}, share() {} }, isDialogOpen);
    return null;
  }
  await render(<Page />);
  await press(document.body, "g");
  expect(guide).toHaveBeenCalledTimes(times);
});
