// @vitest-environment happy-dom
/** The dialog of examples: keys of its search field. */
import { expect, test, vi } from "vitest";
import { fill, only, render } from "../../../view/ui/testing/render.ts";
import { StoresProvider } from "../store/stores.ts";
import { testStores } from "../store/testing/test-stores.ts";
import { Gallery } from "./gallery.tsx";

test("Escape closes the dialog also while its search field has a text", async () => {
  const onClose = vi.fn();
  await render(
    <StoresProvider value={testStores({})}>
      <Gallery onRules={() => {}} onClose={onClose} />
    </StoresProvider>,
  );
  const field = only<HTMLInputElement>("input[type=search]");
  await fill(field, "JSON");
  const pressed = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
  field.dispatchEvent(pressed);
  expect(pressed.defaultPrevented).toBe(true);
  expect(onClose).toHaveBeenCalledOnce();
});
