// @vitest-environment happy-dom
/** Where the keyboard is after turns were added and deleted. */
import { expect, test } from "vitest";
import { click, findButton, render } from "../../../view/ui/testing/render.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { ConversationPane } from "./conversation-pane.tsx";

const focused = () => document.activeElement?.getAttribute("aria-label");

test("a turn that was added has the cursor, and after a deletion the turn beside it has the focus", async () => {
  await render(
    <StoresProvider value={createTestStores({})}>
      <ConversationPane />
    </StoresProvider>,
  );
  await click(findButton("Add a system message"));
  expect(focused()).toBe("system turn");
  await click(findButton("Add a turn"));
  expect(focused()).toBe("assistant turn");
  await click(findButton("Add a turn"));
  expect(focused()).toBe("user turn");
  const roles = () => [...document.querySelectorAll("select.turn-role")];
  expect(roles()).toHaveLength(4);
  const [first] = document.querySelectorAll<HTMLElement>("button[aria-label='Delete this turn']");
  if (first) await click(first);
  expect(roles()).toHaveLength(3);
  expect(document.activeElement).toBe(roles()[0]);
});
