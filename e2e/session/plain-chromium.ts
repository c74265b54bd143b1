/**
 * Chromium as it is: Playwright makes every page believe that it is in view, so that none is ever put to sleep. Speaks the
 * Chrome DevTools Protocol over a pipe (`--remote-debugging-pipe`): JSON messages, each ended by a zero byte.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureChromium } from "../../scripts/browsers.mjs";
import { chromiumArgs } from "../../scripts/chromium-switches.ts";
import { endBrowser } from "../sandbox/browsers.ts";

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** One tab. Another one that comes to the front hides it. */
export class PlainTab {
  readonly #browser: PlainChromium;
  readonly #targetId: string;
  readonly #sessionId: string;

  constructor(browser: PlainChromium, targetId: string, sessionId: string) {
    this.#browser = browser;
    this.#targetId = targetId;
    this.#sessionId = sessionId;
  }

  /** The result of a script, once it is settled. @throws Error with the page's message. */
  async evaluate(expression: string): Promise<unknown> {
    const parameters = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = (await this.#send("Runtime.evaluate", parameters)) as {
      result: { value?: unknown };
      exceptionDetails?: object;
    };
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  async bringToFront(): Promise<void> {
    await this.#browser.send("Target.activateTarget", { targetId: this.#targetId });
  }

  /** Goes to an address, where `source` runs before the page's own scripts. */
  async goto(url: string, source: string): Promise<void> {
    await this.#send("Page.enable", {});
    await this.#send("Page.addScriptToEvaluateOnNewDocument", { source });
    await this.#send("Page.navigate", { url });
    await untilOpen(() => this.evaluate("location.href"), url);
  }

  async setLifecycle(state: "frozen" | "active"): Promise<void> {
    await this.#send("Page.setWebLifecycleState", { state });
  }

  #send(method: string, parameters: object): Promise<unknown> {
    return this.#browser.send(method, parameters, this.#sessionId);
  }
}

export class PlainChromium {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #received = "";
  #lastId = 0;

  private constructor(child: ChildProcess, profile: string) {
    this.#child = child;
    this.#profile = profile;
    (child.stdio[4] as Readable).setEncoding("utf8").on("data", (text: string) => this.#read(text));
    child.once("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("Chromium ended."));
    });
  }

  static async launch(): Promise<PlainChromium> {
    const profile = mkdtempSync(join(tmpdir(), "midtoken-plain-chromium-"));
    const args = [
      "--headless=new",
      ...chromiumArgs(),
      "--remote-debugging-pipe",
      `--user-data-dir=${profile}`,
    ];
    const child = spawn(await ensureChromium(), [...args, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      detached: true,
    });
    return new PlainChromium(child, profile);
  }

  /** @throws Error with the browser's message. */
  send(method: string, params: object, sessionId?: string): Promise<unknown> {
    const id = ++this.#lastId;
    (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async openTab(url: string): Promise<PlainTab> {
    const { targetId } = (await this.send("Target.createTarget", { url })) as { targetId: string };
    const attached = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new PlainTab(this, targetId, (attached as { sessionId: string }).sessionId);
    await untilOpen(() => tab.evaluate("location.href"), url);
    return tab;
  }

  async close(): Promise<void> {
    await endBrowser(this.#child);
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  #read(text: string): void {
    const messages = (this.#received + text).split("\0");
    this.#received = messages.pop() ?? "";
    for (const message of messages) {
      const { id, result, error } = JSON.parse(message) as Answer;
      // Events have no id.
      if (id === undefined) continue;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    }
  }
}

/** Waits until the tab's document is that of the address: before, it has no place for scripts, or one that goes away. */
async function untilOpen(address: () => Promise<unknown>, url: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const now = await address().catch((error: unknown) => {
      if (!/context|navigated/i.test(String(error))) throw error;
    });
    if (now === url) return;
    await sleep(50);
  }
  throw new Error(`The tab has not opened ${url} within 20 s.`);
}
