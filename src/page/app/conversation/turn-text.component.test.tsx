// @vitest-environment happy-dom
/** The field of a turn holds what the store has, also where the store refuses a text. */
import { act } from "react";
import { expect, test } from "vitest";
import { useStore } from "zustand";
import { fill, findOnly, render } from "../../../view/ui/testing/render.ts";
import { editorLimits } from "../store/editor-limits.ts";
import { type Stores, StoresProvider, useStores } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { TurnText } from "./turn-text.tsx";

const field = () => findOnly<HTMLTextAreaElement>("textarea");

function FirstTurn() {
  const turn = useStore(useStores().conversation, ({ turns }) => turns[0]);
  if (!turn) throw new Error("A first visit has no turn.");
  return <TurnText turn={turn} />;
}

async function open(): Promise<Stores> {
  const stores = createTestStores({});
  await render(
    <StoresProvider value={stores}>
      <FirstTurn />
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

/** Returns whether the browser would have inserted the text itself. */
async function paste(text: string): Promise<boolean> {
  const event = new Event("paste", { bubbles: true, cancelable: true });
  Object.assign(event, { clipboardData: { getData: () => text } });
  let isDefault = false;
  await act(async () => {
    isDefault = field().dispatchEvent(event);
  });
  return isDefault;
}

test("a long paste goes into the turn at the cursor, has the field for long texts, and Undo takes it back", async () => {
  const stores = await open();
  const text = () => stores.conversation.getState().turns[0]?.text;
  await fill(field(), "ab");
  field().setSelectionRange(1, 1);
  expect(await paste("short")).toBe(true);
  expect(await paste("line\r\n".repeat(10_000))).toBe(false);
  expect(text()).toBe(`a${"line\n".repeat(10_000)}b`);
  expect(document.querySelector("textarea:not([readonly])")).toBeNull();
  expect(findOnly(".turn-long").textContent).toBe("Loading the whole text …");
  // Keys are not taken for shortcuts of the page meanwhile.
  expect(document.activeElement).toBe(findOnly(".turn-long"));
  const [notice] = stores.notices.getState().notices;
  expect(notice?.text).toBe("Pasted 50,000 characters.");
  await act(async () => notice?.action?.run());
  expect(text()).toBe("ab");
  expect(field().value).toBe("ab");
});

test("a long text from elsewhere has the field for long texts, and a typed one stays in the text field", async () => {
  const stores = await open();
  const text = "word ".repeat(10_000);
  await fill(field(), text);
  expect(field().value).toBe(text);
  const [turn] = stores.conversation.getState().turns;
  await act(async () => stores.conversation.getState().edit(turn?.id ?? "", `${text}more`));
  expect(document.querySelector("textarea:not([readonly])")).toBeNull();
});

test("a paste beyond the limit changes nothing", async () => {
  const stores = await open();
  await fill(field(), "ab");
  expect(await paste("a".repeat(1_000_000))).toBe(false);
  expect(stores.conversation.getState().turns[0]?.text).toBe("ab");
  expect(field().value).toBe("ab");
});
