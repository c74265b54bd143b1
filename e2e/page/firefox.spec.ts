/** The path of a newcomer in Firefox: from the first visit to a link that someone else opens, with a clean console. */
import { expect, test } from "@playwright/test";
import { nameMod } from "../../src/runtime/sandbox/compiled-mod.ts";
import { hostileComments } from "../../src/runtime/sandbox/testing/hostile-comments.ts";
import { Firefox } from "../firefox/marionette.ts";

const cellsOf = () =>
  Array.from(document.querySelectorAll("[data-index]"), (element) => ({
    text: element.textContent ?? "",
    mark: /cell-(\w+)/.exec(element.className)?.[1] ?? "",
  }));

/** Presses Run and waits for the end. Where the machine does much else a mod may not get to answer in time: then once more. */
async function runToEnd(firefox: Firefox): Promise<void> {
  for (let time = 1; ; time++) {
    await firefox.click('//*[contains(@class, "run-controls")]//button[starts-with(., "Run")]');
    const outcome = await firefox.waitForText(".run-line p", /Ended|did not answer/);
    if (outcome.includes("Ended")) return;
    if (time === 5) throw new Error(outcome);
  }
}

test("in Firefox a first visit runs with its mods, and the link shows the same", async ({ baseURL }) => {
  const address = baseURL ?? "";
  const firefox = await Firefox.launch();
  try {
    await firefox.goto(address);
    await runToEnd(firefox);
    await firefox.waitForText(".model-where", /WebAssembly/);
    const cells = await firefox.evaluate(cellsOf);
    const marks = cells.map(({ mark }) => mark);
    expect(marks).toContain("plain");
    expect(marks).toContain("forced");

    await firefox.click('//button[.="Share this run" or @aria-label="Share this run"]');
    const addressOf = () => document.querySelector("[data-address]")?.getAttribute("data-address") ?? "";
    await expect.poll(() => firefox.evaluate(addressOf)).toContain("#t");
    const link = await firefox.evaluate(addressOf);
    await firefox.openTab();
    await firefox.goto(link);
    await firefox.waitForText("body", /Recorded by someone else\. Nothing has run on this device\./);
    await expect.poll(() => firefox.evaluate(cellsOf)).toEqual(cells);
    const { origin } = new URL(address);
    expect(await firefox.consoleFaults(origin)).toEqual([]);
    // The ear is open: planted faults are heard.
    await firefox.evaluate(() => {
      console.error("planted");
      const frame = document.createElement("iframe");
      frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="webrtc 'block'">`;
      document.body.append(frame);
    });
    await expect
      .poll(() => firefox.consoleFaults(origin))
      .toEqual(
        expect.arrayContaining([expect.stringContaining("webrtc"), expect.stringContaining("planted")]),
      );
  } finally {
    await firefox.close();
  }
});

const runButton = '//*[contains(@class, "run-controls")]//button[starts-with(., "Run")]';
const endless = `export default mod({ added(e, a) { return ${"<T>(".repeat(30)}a.noop()${")".repeat(30)}; } });`;
const tooSlow = /does not compile: Compiling the mod took longer than 1\.5 s\./;
/** It is compiled, and found to be no mod when it runs. */
const noMod = /The file has no default mod\./;

/** A slow machine does not compile the source in time. */
const eitherBySpeed = new RegExp(`${tooSlow.source}|${noMod.source}`);

/** Sources that hold a parser up, and what the page says about each. */
const hostileSources: readonly (readonly [name: string, source: string, says: RegExp])[] = [
  ["200 characters of <T>(", endless, tooSlow],
  ["65 KB of x=>x,", `export default [${"x=>x,".repeat(13_000)}];`, eitherBySpeed],
  ["500 KB of x=>x,", `export default [${"x=>x,".repeat(100_000)}];`, eitherBySpeed],
  ["1 MB of x=>x,", `export default [${"x=>x,".repeat(199_990)}];`, eitherBySpeed],
  ["1 MB of a comment", `/*${"x ".repeat(490_000)}*/export default [1];`, eitherBySpeed],
  ["1 MB of (", "(".repeat(1_000_000), /does not compile: The mod nests brackets or operators too deeply/],
  [
    "1 MB and one",
    " ".repeat(1_000_001),
    /does not compile: The mod has 1,000,001 characters; the limit is 1,000,000\. Shorten the mod\./,
  ],
];

/** The page as it opens with one mod, which the editor does not show. */
async function openWith(firefox: Firefox, address: string, source: string): Promise<void> {
  // A small file beside the page, so that the page itself is opened once.
  await firefox.goto(`${address}favicon.svg`);
  await firefox.evaluate((text) => {
    localStorage.clear();
    sessionStorage.clear();
    const keep = (key: string, value: object) => localStorage.setItem(key, JSON.stringify(value));
    const shared = { needs: null, entry: null };
    keep("midtoken.mod.v2.hostile", { name: "hostile", source: text, ...shared });
    keep("midtoken.mod.v2.other", { name: "other", source: "// nothing", ...shared });
    keep("midtoken.desk.v2", { order: ["hostile", "other"], enabled: ["hostile"], active: "other" });
  }, source);
  await firefox.goto(address);
}

/**
 * Counts how often the page's own thread comes round while a run waits to begin, and notes the longest that it did not, for
 * people; and what was said of a run that does not begin: what is typed into the prompt takes that away again.
 */
function watchTurns(): void {
  let last = performance.now();
  const { dataset } = document.body;
  dataset.turns = "0";
  dataset.longest = "0";
  setInterval(() => {
    const now = performance.now();
    dataset.longest = String(Math.max(Number(dataset.longest), Math.round(now - last)));
    last = now;
    if (document.querySelector(".start-progress")) dataset.turns = String(Number(dataset.turns) + 1);
  }, 10);
  const listen = () => {
    const said = document.querySelector(".start-failure, .run-end-detail")?.textContent ?? "";
    if (!dataset.said?.includes(said)) dataset.said = `${dataset.said ?? ""}\n${said}`;
  };
  new MutationObserver(listen).observe(document.body, {
    childList: true,
    characterData: true,
    subtree: true,
  });
}

/** Presses Run, and Stop as soon as there is one. As one piece of the page's own: the compiler's deadline waits for nobody. */
async function runAndStop(): Promise<void> {
  const button = (name: string) =>
    Array.from(document.querySelectorAll<HTMLButtonElement>(".run-controls button")).find((each) =>
      each.textContent?.startsWith(name),
    );
  const turn = () => new Promise((done) => setTimeout(done, 10));
  while (!button("Run")) await turn();
  button("Run")?.click();
  while (!button("Stop")) await turn();
  button("Stop")?.click();
  while (!button("Run")) await turn();
}

test("in Firefox a source that holds a parser up leaves the page awake, and is refused or stopped", async ({
  baseURL,
}) => {
  const firefox = await Firefox.launch();
  try {
    for (const [name, source, says] of hostileSources) {
      await test.step(name, async () => {
        await openWith(firefox, baseURL ?? "", source);
        // A first run loads everything that runs need, so that the measurement covers only the source.
        await firefox.evaluate(runAndStop);
        await firefox.evaluate(watchTurns);
        await firefox.click(runButton);
        await firefox.type('//textarea[@aria-label="user turn"]', " and typed");
        await expect.poll(() => firefox.evaluate(() => document.body.dataset.said)).toMatch(says);
        const { turns, longest, typed } = await firefox.evaluate(() => ({
          turns: document.body.dataset.turns,
          longest: document.body.dataset.longest,
          typed: document.querySelector<HTMLTextAreaElement>('textarea[aria-label="user turn"]')?.value,
        }));
        console.log(`  Firefox, ${name}: the page's thread was busy for ${longest} ms at most`);
        expect(typed).toMatch(/ and typed$/);
        if (source === endless) expect(Number(turns)).toBeGreaterThan(10);
      });
    }
    await test.step("Stop", async () => {
      await openWith(firefox, baseURL ?? "", endless);
      await firefox.evaluate(runAndStop);
      const left = () => document.querySelectorAll(".start-progress, .start-failure").length;
      expect(await firefox.evaluate(left)).toBe(0);
    });
  } finally {
    await firefox.close();
  }
});

interface BrowserDebugger {
  readonly Cu: {
    Sandbox: new (principal: unknown, options?: object) => object;
    evalInSandbox(code: string, realm: object, version: string, file: string, line: number): void;
  };
  readonly Services: { readonly scriptSecurityManager: { getSystemPrincipal(): unknown } };
  readonly ChromeUtils: { importESModule(address: string): Record<string, (global: object) => void> };
}
interface Debugger {
  addDebuggee(realm: object): void;
  findSources(): readonly { readonly sourceMapURL: string | null; readonly displayURL: string | null }[];
}

/** Runs in the browser itself: the source maps and names that its developer tools see of scripts that define what they need. */
function seenByDeveloperTools(scripts: readonly string[]): (readonly [string | null, string | null])[] {
  const { Cu, Services, ChromeUtils } = globalThis as unknown as BrowserDebugger;
  const { addDebuggerToGlobal } = ChromeUtils.importESModule("resource://gre/modules/jsdebugger.sys.mjs");
  const own = new Cu.Sandbox(Services.scriptSecurityManager.getSystemPrincipal(), {
    freshCompartment: true,
  }) as { Debugger?: new () => Debugger };
  addDebuggerToGlobal?.(own);
  return scripts.map((code) => {
    const realm = new Cu.Sandbox("http://example.com");
    const watcher = new (own.Debugger as new () => Debugger)();
    watcher.addDebuggee(realm);
    // Under a name that Firefox takes for a part of itself: since 153 its own process runs no others.
    const whole = `this.midtokenDefine = function () {};\n${code}`;
    Cu.evalInSandbox(whole, realm, "latest", "resource://midtoken/mod.js", 1);
    const [source] = watcher.findSources();
    return [source?.sourceMapURL ?? null, source?.displayURL ?? null] as const;
  });
}

test("Firefox's developer tools see no address that a mod's comments name", async () => {
  const firefox = await Firefox.launch();
  try {
    const reads = {
      logits: false,
      topK: false,
      hiddenState: false,
      output: false,
      strategies: false,
      bans: false,
      conversation: false,
    };
    const scripts = hostileComments.map(([, source]) => {
      const code = source.replaceAll("export ", "");
      return nameMod({ ok: true, code, reads, removesText: false, mappings: "", exports: [] }, "my mod").code;
    });
    const seen = await firefox.evaluateInBrowser(seenByDeveloperTools, scripts);
    expect(seen).toEqual(scripts.map(() => ["data:application/json,{}", "my-mod.ts"]));
    // Without our own comments it would see theirs.
    const bare = scripts.map((code) => code.slice(0, code.lastIndexOf("});") + 3));
    const theirs = (await firefox.evaluateInBrowser(seenByDeveloperTools, bare))
      .flat()
      .filter((address) => address?.includes("evil.example"));
    expect(theirs.length).toBeGreaterThan(3);
  } finally {
    await firefox.close();
  }
});
