// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { render } from "../ui/testing/render.ts";
import { wrapQuotes } from "./whole-quotes.tsx";

test.each([
  ["Removed by swap-name, which put ' Max' in its place.", ["' Max'"]],
  ["This token replaces ' it's one'. The model would have written ' a' (3%).", ["' it's one'.", "' a'"]],
  ["forced '''", ["'''"]],
  ["The model’s own choice.", []],
])("%s", async (sentence, quotes) => {
  const view = await render(<p>{wrapQuotes(sentence)}</p>);
  expect(view.textContent).toBe(sentence);
  expect([...view.querySelectorAll(".whole-quote")].map(({ textContent }) => textContent)).toEqual(quotes);
});
