/** A model that no list names, as a visitor brings it: behind an address on a hub, and in a folder on the own disk. */
import { type Fault, type HubServer, startHubServer } from "../../scripts/testing/hub-server.ts";
import { axeViolations, listenForErrors, pressRun, sharedLink, textOf, untilEnded } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const folder = "public/models/stories260k";
const requests: string[] = [];
const faults = new Map<string, Fault>();
let hub: HubServer;
test.beforeAll(async () => {
  hub = await startHubServer({
    repositories: { "owner/stories": folder, "owner/private": { main: folder, token: "hf_secret" } },
    faults,
    onRequest: (file) => requests.push(file),
  });
});
test.afterAll(() => hub.close());

/** Models whose whole row can be seen in the list without scrolling. */
function modelsInSight(page: Page): Promise<number> {
  return page.locator(".model-list").evaluate((list) => {
    const { top, bottom } = list.getBoundingClientRect();
    return [...list.querySelectorAll(".model-entry")].filter((row) => {
      const box = row.getBoundingClientRect();
      return box.top >= top && box.bottom <= bottom;
    }).length;
  });
}

test("the list says what each model costs here; another is looked at before anything of it is loaded", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await page.locator(".model-button").click();
  const panel = page.getByRole("region", { name: "Models" });
  await expect(panel.getByRole("heading")).toHaveText([
    "Saved in this browser",
    "Tiny: runs on any device",
    "Small: a GPU helps",
    "Medium: needs a good GPU",
    "Large: needs 8 GB of memory and is slow",
  ]);
  // This browser has no graphics hardware, so what needs it says so.
  await expect(panel.locator(".model-entry", { hasText: "Qwen3 4B" })).toContainText("Does not run here.");
  expect(await modelsInSight(page)).toBeGreaterThanOrEqual(8);
  await panel.getByRole("button", { name: "Details of Qwen3 0.6B" }).click();
  await expect(panel.getByRole("button", { name: /^q4f16/ })).toBeDisabled();
  await expect(panel.getByRole("button", { name: /^q4 / })).toContainText("about 919 MB");
  expect(await axeViolations(page)).toEqual([]);

  const address = panel.getByRole("textbox", { name: "Another model" });
  await address.fill(hub.url("owner/none"));
  await address.press("Enter");
  await expect(panel.getByRole("alert")).toContainText("There is no model owner/none on Hugging Face");
  await address.fill(hub.url("owner/stories"));
  await address.press("Enter");
  const offered = panel.locator(".other-model .weights-entry");
  await expect(offered).toHaveCount(2);
  await expect(offered.first()).toHaveText(/fp32\s*1\.3 MB\s*recommended, on WebAssembly/);
  expect(requests.filter((file) => file.endsWith(".onnx"))).toEqual([]);
  await offered.nth(1).click();
  // The download rests, and the run goes on when it does.
  faults.set("onnx/model_q4.onnx", { kind: "stall", bytes: 300_000, times: 1 });
  await pressRun(page);
  const loading = page.getByRole("region", { name: "Loading the model" });
  await loading.getByRole("button", { name: "Pause" }).click();
  await expect(loading).toContainText(/Paused at \d+%\. .* saved\./);
  await expect(page.locator(".model-where")).toHaveText("paused");
  await loading.getByRole("button", { name: "Continue" }).click();
  await untilEnded(page);
  await expect(page.locator(".model-where")).toHaveText("WebAssembly · q4");
  expect(requests).toContain("onnx/model_q4.onnx");
  expect(requests).not.toContain("onnx/model.onnx");
  // The browser itself writes to the console that the hub refused, at times after the page has shown the error.
  expect(errors.filter((error) => !error.includes("401"))).toEqual([]);
});

test("a folder is picked from the disk, and used where it lies", async ({ page }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await page.locator(".model-button").click();
  const panel = page.getByRole("region", { name: "Models" });
  await panel.locator("input[type=file]").setInputFiles("src/page/examples");
  await expect(panel.getByRole("alert")).toContainText("There is no config.json in examples.");
  await panel.locator("input[type=file]").setInputFiles(folder);
  await panel.locator(".other-model .weights-entry").first().click();
  await pressRun(page);
  await untilEnded(page);
  await expect(page.locator(".model-name")).toHaveText("stories260k");
  expect((await textOf(page)).length).toBeGreaterThan(100);
  // After a reload the page may not read the picked folder. A message says so, and what to do.
  await page.reload();
  await page.locator(".model-button").click();
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByText("Pick the folder again.").first()).toBeVisible();
  expect(errors).toEqual([]);
});

test("a private model of Hugging Face loads with the user's token, which no link and no saved file contains", async ({
  page,
}) => {
  // The hub of this test stands in for huggingface.co: a hub elsewhere is never sent the token.
  await page.context().route("https://huggingface.co/**", async (route) => {
    const url = route.request().url().replace("https://huggingface.co", hub.host);
    await route.fulfill({ response: await route.fetch({ url }) });
  });
  await page.goto("./");
  await page.locator(".model-button").click();
  const panel = page.getByRole("region", { name: "Models" });
  const address = panel.getByRole("textbox", { name: "Another model" });
  await address.fill("owner/private");
  await address.press("Enter");
  await expect(panel.getByRole("alert")).toContainText("a private model needs a Hugging Face access token");
  await panel.getByText("Gated and private models").click();
  await panel.getByLabel("Hugging Face access token").fill("hf_secret");
  await address.press("Enter");
  await panel.locator(".other-model .weights-entry").first().click();
  await pressRun(page);
  await untilEnded(page);
  await expect(page.locator(".model-name")).toHaveText("private");
  expect(await sharedLink(page)).not.toContain("secret");
  const saved = await page.evaluate(() => ({
    browser: JSON.stringify(localStorage),
    tab: JSON.stringify(sessionStorage),
  }));
  expect(saved.browser).not.toContain("hf_secret");
  expect(saved.tab).toContain("hf_secret");
  await page.context().unroute("https://huggingface.co/**");
});
