/**
 * Drives the Firefox of this machine by Marionette, which every Firefox has: Playwright's own protocol needs a patched one, and
 * its WebDriver BiDi asks for commands that an ESR release does not have. Marionette also reads the browser's console, in
 * which a page's policy and network errors stand as well.
 * Protocol: a TCP socket; each message is its length in bytes, a colon, and JSON, `[0, id, command, parameters]` to the browser
 * and `[1, id, error, result]` back (firefox-source-docs.mozilla.org/testing/marionette/Protocol.html).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureFirefox } from "../../scripts/browsers.mjs";
import { endBrowser, firefoxPreferences } from "../sandbox/browsers.ts";

/** How long a wait may take; a browser that says nothing for so long hangs. */
const patienceMs = 90_000;

/** As the WebDriver standard names a reference to an element. */
const elementKey = "element-6066-11e4-a52e-4f735466cecf";
type ElementReference = Readonly<Record<typeof elementKey, string>>;

const ownPreferences = {
  // Any port that is free.
  "marionette.port": 0,
  // Only the page's own process knows what its code logs; this setting prints it.
  "devtools.console.stdout.content": true,
  // Firefox mends well-known web sites; what it says of that looks like a page's own words.
  "extensions.webcompat.perform_injections": false,
};

/** As Firefox prints what a page logs: texts in quotes. Its own parts print their name without them, as in `console.error: RSLoader:`. */
const pagesLine = /^console\.(warn|error): (?!\w+:)/;

export class Firefox {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #received = Buffer.alloc(0);
  #lastId = 0;
  #printed = "";

  private constructor(child: ChildProcess, profile: string, socket: Socket) {
    this.#child = child;
    this.#profile = profile;
    this.#socket = socket;
    child.stdout?.on("data", (data: Buffer) => {
      this.#printed += data.toString();
    });
    socket.on("data", (data) => this.#read(data));
    socket.on("error", (error) => this.#fail(error));
    child.once("exit", () => this.#fail(new Error("Firefox ended.")));
  }

  /** @param extra preferences beside the usual ones */
  static async launch(extra: Readonly<Record<string, string | boolean | number>> = {}): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), "midtoken-firefox-"));
    const preferences = Object.entries({ ...firefoxPreferences, ...ownPreferences, ...extra });
    writeFileSync(
      join(profile, "user.js"),
      preferences.map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`).join("\n"),
    );
    const args = ["--headless", "--no-remote", "--marionette", "--profile", profile, "about:blank"];
    // Access to the browser's own console is asked for by this switch.
    args.push("--remote-allow-system-access");
    const child = spawn(ensureFirefox(), args, { stdio: ["ignore", "pipe", "ignore"], detached: true });
    const portFile = join(profile, "MarionetteActivePort");
    await until("Firefox listens", () => existsSync(portFile) && readFileSync(portFile, "utf8") !== "");
    const socket = connect(Number(readFileSync(portFile, "utf8")), "127.0.0.1");
    const firefox = new Firefox(child, profile, socket);
    await firefox.send("WebDriver:NewSession", {});
    await firefox.send("WebDriver:SetTimeouts", { script: patienceMs, pageLoad: patienceMs });
    return firefox;
  }

  /** @throws Error with the browser's message. */
  send(command: string, parameters: object): Promise<unknown> {
    const id = ++this.#lastId;
    const message = JSON.stringify([0, id, command, parameters]);
    this.#socket.write(`${Buffer.byteLength(message)}:${message}`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async goto(url: string): Promise<void> {
    await this.send("WebDriver:Navigate", { url });
  }

  /** Opens an empty tab and goes on in it. */
  async openTab(): Promise<void> {
    const { handle } = (await this.send("WebDriver:NewWindow", { type: "tab" })) as { handle: string };
    await this.send("WebDriver:SwitchToWindow", { handle, focus: true });
  }

  /** Runs a function in the page and returns its result. The function is sent as text, so it knows only `parameters`. */
  async evaluate<Parameters extends unknown[], Result>(
    work: (...parameters: Parameters) => Result | Promise<Result>,
    ...parameters: Parameters
  ): Promise<Result> {
    const { value } = (await this.send("WebDriver:ExecuteScript", {
      script: `return (${work})(...arguments)`,
      args: parameters,
    })) as { value: Result };
    return value;
  }

  /** Clicks as a user does, in the middle of the one element, once it is there. @param xpath for example `//button[.="Run"]` */
  async click(xpath: string): Promise<void> {
    await this.send("WebDriver:ElementClick", { id: await this.#find(xpath) });
  }

  /** Types as a user does, at the end of the one element, once it is there. */
  async type(xpath: string, text: string): Promise<void> {
    await this.send("WebDriver:ElementSendKeys", { id: await this.#find(xpath), text });
  }

  /** Runs a function in the browser itself, with its privileges, and returns its result. It is sent as text, as by `evaluate`. */
  async evaluateInBrowser<Parameters extends unknown[], Result>(
    work: (...parameters: Parameters) => Result | Promise<Result>,
    ...parameters: Parameters
  ): Promise<Result> {
    await this.send("Marionette:SetContext", { value: "chrome" });
    try {
      return await this.evaluate(work, ...parameters);
    } finally {
      await this.send("Marionette:SetContext", { value: "content" });
    }
  }

  /** The id of the one element, once it is there. */
  async #find(xpath: string): Promise<string | undefined> {
    const found: ElementReference[] = [];
    await until(`${xpath} is there`, async () => {
      const all = await this.send("WebDriver:FindElements", { using: "xpath", value: xpath });
      found.splice(0, found.length, ...(all as ElementReference[]));
      return found.length > 0;
    });
    if (found.length !== 1) throw new Error(`${found.length} elements are ${xpath}.`);
    return found[0]?.[elementKey];
  }

  /** Waits until the text of the first element that the selector finds is like `pattern`. @returns the text. */
  async waitForText(selector: string, pattern: RegExp): Promise<string> {
    const textOf = (wanted: string) => document.querySelector(wanted)?.textContent ?? "";
    let text = "";
    await until(
      () => `${selector} is like ${pattern}: it says "${text}"`,
      async () => {
        text = await this.evaluate(textOf, selector);
        return pattern.test(text);
      },
    );
    return text;
  }

  /** Warnings and errors in the browser's console: of what has an address that begins with `origin`, and what any page's code logged. */
  async consoleFaults(origin: string): Promise<string[]> {
    const noted = await this.evaluateInBrowser(readConsole, origin);
    return [...noted, ...this.#printed.split("\n").filter((line) => pagesLine.test(line))];
  }

  async close(): Promise<void> {
    this.#socket.removeAllListeners().destroy();
    await endBrowser(this.#child);
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  #read(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data]);
    for (;;) {
      const colon = this.#received.indexOf(":");
      if (colon < 0) return;
      const end = colon + 1 + Number(this.#received.subarray(0, colon).toString());
      if (this.#received.length < end) return;
      const message = JSON.parse(this.#received.subarray(colon + 1, end).toString());
      this.#received = this.#received.subarray(end);
      // The first message is no answer: it says which protocol is spoken.
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(`${error.error}: ${error.message}`));
      else waiting?.resolve(result);
    }
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** The globals of the browser's own code that are used here. */
interface BrowserParts {
  readonly Services: {
    readonly console: {
      getMessageArray(): readonly { logLevel: number; sourceName: string; errorMessage: string }[];
    };
  };
  readonly Ci: Readonly<Record<"nsIScriptError" | "nsIConsoleMessage", { readonly warn: number }>>;
}

/** Runs in the browser itself: script errors, and what the browser says of a page. */
function readConsole(origin: string): string[] {
  const { Services, Ci } = globalThis as unknown as BrowserParts;
  return Services.console
    .getMessageArray()
    .filter(
      (message) =>
        message instanceof (Ci.nsIScriptError as never) && message.logLevel >= Ci.nsIConsoleMessage.warn,
    )
    .filter(
      ({ sourceName }) =>
        sourceName.startsWith(origin) || sourceName.startsWith("blob:") || sourceName === "about:srcdoc",
    )
    .map(({ errorMessage }) => errorMessage);
}

/** Looks again and again. @throws Error that says what did not come. */
async function until(what: string | (() => string), isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const start = Date.now(); Date.now() - start < patienceMs; await sleep(50)) if (await isSo()) return;
  throw new Error(`Waited ${patienceMs / 1000} s in vain until ${typeof what === "string" ? what : what()}.`);
}
