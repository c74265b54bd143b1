// @vitest-environment happy-dom
/** The field of a turn holds what the store has, also where the store refuses a text. */
import { expect, test } from "vitest";
import { fill, only, render } from "../../../view/ui/testing/render.ts";
import { editorLimits } from "../store/editor-limits.ts";
import { type Stores, StoresProvider } from "../store/stores.ts";
import { testStores } from "../store/testing/test-stores.ts";
import { TurnText } from "./turn-text.tsx";

const field = () => only<HTMLTextAreaElement>("textarea");

async function open(): Promise<Stores> {
  const stores = testStores({});
  const [turn] = stores.conversation.getState().turns;
  if (!turn) throw new Error("A first visit has no turn.");
  await render(
    <StoresProvider value={stores}>
      <TurnText turn={turn} />
    </StoresProvider>,
  );
  return stores;
}

test("typing edits the turn; a text that is too long is refused, and the field keeps the text before", async () => {
  const stores = await open();
  const text = () => stores.conversation.getState().turns[0]?.text;
  await fill(field(), "Tell me a story.");
  expect(text()).toBe("Tell me a story.");
  await fill(field(), "a".repeat(editorLimits.characters + 1));
  expect(text()).toBe("Tell me a story.");
  expect(field().value).toBe("Tell me a story.");
});
