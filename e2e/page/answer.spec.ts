/** Response format and tools on the page: set, checked as one types, kept, and seen in the run. */

import { axeViolations, listenForErrors, runToEnd, textOf } from "./page.ts";
import { expect, test } from "./test.ts";

test("a JSON Schema is checked as it is typed, kept, and holds the answer", async ({ page }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await page.locator(".answer summary").click();
  await page.getByRole("radio", { name: "JSON Schema" }).check();
  const schema = page.getByLabel("JSON Schema of the answer");
  await schema.fill('{"minimum": "x"}');
  await expect(page.locator(".answer .field-error")).toContainText("#/minimum");
  await schema.fill("{");
  await expect(page.locator(".answer .field-error")).toContainText("not valid JSON");
  expect(await axeViolations(page)).toEqual([]);
  await schema.fill(
    '{"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"], "additionalProperties": false}',
  );
  await expect(page.locator(".answer .field-error")).toHaveCount(0);

  await page.reload();
  await expect(page.locator(".answer summary")).toContainText("JSON that follows the schema");
  for (const mod of await page
    .locator(".mod-tabs input[type=checkbox], [role=tablist] input[type=checkbox]")
    .all()) {
    await mod.uncheck();
  }
  await runToEnd(page);
  expect(JSON.parse((await textOf(page)).replace("¶", ""))).toEqual({ ok: expect.any(Boolean) });
  await expect(page.getByRole("region", { name: "JSON answer" }).locator("pre")).toHaveText(
    /^\{\n {2}"ok": (true|false)\n\}$/,
    { useInnerText: true },
  );
  expect(errors).toEqual([]);
});

test("a required tool call is shown with its arguments, kept, answered, and read by the model", {
  tag: "@daily",
}, async ({ page }) => {
  await page.goto("./");
  await page.locator(".answer summary").click();
  await page.getByRole("radio", { name: "Offer tools" }).check();
  await page.getByLabel("Tool choice").selectOption("get_weather must be called");
  await runToEnd(page);
  await expect(page.getByRole("region", { name: "End of the run" })).toContainText("ended with a tool call");
  await expect(page.getByRole("region", { name: "Tool call: get_weather" })).toContainText('"city": ');
  await page.getByRole("tab", { name: "Transcript" }).click();
  await expect(page.getByRole("list", { name: "Tool calls" })).toContainText('get_weather {"city":');
  await page.getByRole("button", { name: "Add the calls to the conversation" }).click();
  const answer = page.getByRole("textbox", { name: "tool turn" });
  await answer.fill("It is 12 degrees");
  await expect(page.getByLabel("Result of")).toContainText('get_weather {"city":');
  await expect(page.getByRole("button", { name: "Add the calls to the conversation" })).toBeHidden();
  const given = page.getByRole("textbox", { name: "Arguments of get_weather" });
  await given.fill('{"city": ');
  await expect(page.getByText("The arguments are not valid JSON:")).toBeVisible();
  await given.fill('{"city": "Bern"}');
  await expect(page.getByText("The arguments are not valid JSON:")).toBeHidden();
  expect(await axeViolations(page)).toEqual([]);
  await page.reload();
  await expect(answer).toHaveValue("It is 12 degrees");
  await expect(given).toHaveValue('{"city": "Bern"}');
  await page.getByRole("button", { name: "Prompt as the model sees it" }).click();
  await expect(page.locator(".prompt-tokens")).toContainText("It is 12 degrees");
});

test("a tool call that the token limit cuts is shown as a call, with the arguments so far", async ({
  page,
}) => {
  await page.goto("./");
  await page.locator(".answer summary").click();
  await page.getByRole("radio", { name: "Offer tools" }).check();
  await page.getByLabel("Tool choice").selectOption("get_weather must be called");
  await page.locator(".sampling > summary").click();
  await page.getByRole("spinbutton", { name: "Max tokens" }).fill("40");
  await runToEnd(page);
  await expect(page.getByRole("region", { name: "End of the run" })).toContainText(
    "reached the limit of 40 tokens",
  );
  const card = page.getByRole("region", { name: "Tool call, cut by the token limit: get_weather" });
  await expect(card.locator("pre")).toHaveText(/^\{"city": "/);
  await page.getByRole("tab", { name: "Transcript" }).click();
  const calls = page.getByRole("list", { name: "Tool calls" });
  await expect(calls).toContainText(/^get_weather \{"city": ".*\(cut by the token limit\)$/);
  expect(await axeViolations(page)).toEqual([]);
  // A call whose name has not come is a call all the same.
  await page.getByRole("spinbutton", { name: "Max tokens" }).fill("6");
  await runToEnd(page);
  await expect(calls).toContainText(/^Call without a name \{.*\(cut by the token limit\)$/);
});
