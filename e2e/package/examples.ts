/** Drives the examples of docs/embed.md in Chromium: each does what its text says. */
import type { Browser, Page } from "playwright-core";
import { type ExampleApp, extensionApp, htmlApp, nextApp, serveExample, viteApp } from "./example-apps.ts";
import { openExtension } from "./open-extension.ts";

export interface Example {
  readonly name: string;
  open(tarball: string): Promise<ExampleApp>;
  /** Whether it is installed into the browser, where others are opened at an address. */
  readonly isExtension?: boolean;
  /** Rejects where the page is not as it should be. */
  drive(page: Page): Promise<void>;
}

const said = async (page: Page, selector: string, text: RegExp) => {
  await page.locator(selector, { hasText: text }).first().waitFor({ timeout: 120_000 });
};

export const drivenExamples: readonly Example[] = [
  {
    name: "first completion",
    open: (tarball) => viteApp(tarball, "first-completion"),
    async drive(page) {
      const [message] = await Promise.all([
        // After the progress, which is objects.
        page.waitForEvent("console", {
          predicate: (each) => each.type() === "log" && !each.text().startsWith("{"),
          timeout: 120_000,
        }),
        page.reload(),
      ]);
      if (message.text().trim() === "") throw new Error("The answer is empty.");
    },
  },
  {
    name: "plain HTML: a chat with a mod and a timeline",
    open: htmlApp,
    async drive(page) {
      await page.getByLabel("Message").fill("Once upon a time");
      // Before the model is loaded the button is disabled, and the Enter key sends nothing.
      await page.getByLabel("Message").press("Enter");
      await page.getByRole("button", { name: "Send" }).click({ timeout: 120_000 });
      if (page.url().includes("?")) throw new Error(`The form was sent to ${page.url()}.`);
      await said(page, "p", / Max/);
      await said(page, "token-timeline", / Max/);
    },
  },
  {
    name: "Vite and React",
    open: (tarball) => viteApp(tarball, "vite-react"),
    async drive(page) {
      await page.getByRole("button", { name: "Tell" }).click({ timeout: 120_000 });
      await said(page, "p", /\w+ \w+ \w+/);
    },
  },
  {
    name: "Next.js",
    open: nextApp,
    async drive(page) {
      await page.getByRole("button", { name: "Tell" }).click();
      await said(page, "p", /\w+ \w+ \w+/);
    },
  },
  {
    name: "a browser extension",
    open: extensionApp,
    isExtension: true,
    async drive(page) {
      await page.getByLabel("Message").fill("Once upon a time");
      await page.getByRole("button", { name: "Send" }).click({ timeout: 120_000 });
      await said(page, "p", / Max/);
    },
  },
  {
    name: "useChat without an API route",
    open: (tarball) => viteApp(tarball, "use-chat"),
    async drive(page) {
      await page.getByRole("button", { name: "Send" }).click({ timeout: 120_000 });
      await said(page, "[data-role=assistant]", / Max/);
      await page.locator('[data-role=assistant][title="max: forceTokens Max"]').waitFor();
    },
  },
];

/** Null if it holds, else what is wrong. */
export async function driveExample(
  browser: Browser,
  tarball: string,
  example: Example,
): Promise<string | null> {
  const app = await example.open(tarball);
  const { context, address } = example.isExtension
    ? await openExtension(app.folder)
    : { context: await browser.newContext(), address: "https://app.example/" };
  const problems: string[] = [];
  try {
    await serveExample(context, app);
    const page = await context.newPage();
    page.on("pageerror", (error) => void problems.push(error.message));
    page.on("console", (message) => void (message.type() === "error" && problems.push(message.text())));
    await page.goto(address);
    await example.drive(page);
    return problems.length === 0 ? null : problems.join(" ");
  } catch (error) {
    return [String(error), ...problems].join(" ");
  } finally {
    await context.close();
    app.remove();
  }
}
