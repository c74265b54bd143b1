/** A mod's view of the machine: the guest's scrubbed realm in processes with different time zones and languages. */
import { spawn } from "node:child_process";
import { guestProgram } from "virtual:sandbox-guest";
import { beforeAll, describe, expect, test } from "vitest";
import {
  findMachineLeak,
  machineLeakAttempts,
  machineLeakAttemptsText,
} from "./testing/machine-leak-attempts.ts";
import { type DateOrIntlUse, runDateAndIntlUses } from "./testing/machine-uses.ts";

const machines = [
  { TZ: "Asia/Kolkata", LC_ALL: "de_DE.UTF-8" },
  { TZ: "America/St_Johns", LC_ALL: "ar_EG.UTF-8" },
] as const;

/** Evaluates `expression` on each machine, in a new realm that the guest's program has scrubbed, or in a plain one. */
async function onMachines(realm: "scrubbed" | "plain", expression: string): Promise<unknown[]> {
  return Promise.all(machines.map((machine) => evaluate(realm, expression, machine)));
}

const emptyBrowser = `for (const name of ["addEventListener", "importScripts", "reportError", "postMessage"]) globalThis[name] = () => undefined;`;

function evaluate(
  realm: "scrubbed" | "plain",
  expression: string,
  machine: Record<string, string>,
): Promise<unknown> {
  // A separate script, because its first words switch on strict mode.
  const programs = realm === "plain" ? [expression] : [emptyBrowser, guestProgram, expression];
  const script = `const { stdout } = process; const { runInThisContext } = require("node:vm"); const write = stdout.write.bind(stdout); const { stringify } = JSON;
let value; for (const program of ${JSON.stringify(programs)}) value = runInThisContext(program);
write(stringify(value));`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["-"], {
      env: { ...process.env, ...machine },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let output = "";
    let wrong = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      wrong += text;
    });
    child.on("close", () => (output === "" ? reject(new Error(wrong)) : resolve(JSON.parse(output))));
    child.stdin.end(script);
  });
}

describe("1,000 generated uses of Date and Intl", () => {
  const seed = Number(process.env.PROPERTY_SEED) || 20_261_122;
  const expression = `(${runDateAndIntlUses})(1000, ${seed})`;
  let scrubbed: DateOrIntlUse[][];
  let plain: DateOrIntlUse[][];
  beforeAll(async () => {
    scrubbed = (await onMachines("scrubbed", expression)) as DateOrIntlUse[][];
    plain = (await onMachines("plain", expression)) as DateOrIntlUse[][];
  });

  test("give the same in both zones and languages", () => {
    const [first = [], second = []] = scrubbed;
    const differing = first.flatMap(([use, result], place) =>
      result === second[place]?.[1] ? [] : [`${use}: ${result} and ${second[place]?.[1]}`],
    );
    expect(first).toHaveLength(1000);
    expect(differing).toEqual([]);
  });

  test("tell the machines apart without the wall", () => {
    const [first = [], second = []] = plain;
    const differing = first.filter(([, result], place) => result !== second[place]?.[1]);
    expect(differing.length).toBeGreaterThan(150);
  });

  test("most of Date's give something, and every constructor of Intl refuses with a sentence", () => {
    const [first = []] = scrubbed;
    const ofIntl = first.filter(([use]) => use.startsWith("Intl."));
    const ofDate = first.filter(([use]) => /^(new )?Date/.test(use));
    expect(ofDate.length).toBeGreaterThan(200);
    expect(ofDate.filter(([, result]) => /Error: /.test(result)).length).toBeLessThan(ofDate.length / 2);
    const refused = /^TypeError: Intl\.\w+ is not available in a mod: mods have no locale data/;
    expect(ofIntl.filter(([, result]) => !refused.test(result))).toEqual([]);
    const names =
      "Collator DateTimeFormat DisplayNames ListFormat NumberFormat PluralRules RelativeTimeFormat Segmenter Locale";
    for (const name of names.split(" "))
      expect(
        first.some(([use]) => use.startsWith(`Intl.${name}`)),
        name,
      ).toBe(true);
  });
});

describe("ways past the wall", () => {
  const leaksIn = async (realm: "scrubbed" | "plain") => {
    const results = (await evaluate(realm, machineLeakAttemptsText(machineLeakAttempts), machines[0])) as [
      string,
      unknown,
    ][];
    expect(results).toHaveLength(machineLeakAttempts.length);
    return machineLeakAttempts.flatMap((way, place) => {
      const leak = findMachineLeak(way, results[place]?.[1], Date.now());
      return leak === null ? [] : [`${way.name}: ${leak}`];
    });
  };

  test("all end at it", async () => {
    expect(await leaksIn("scrubbed")).toEqual([]);
  });

  test("lead to the machine where there is none", async () => {
    expect((await leaksIn("plain")).length).toBeGreaterThan(40);
  });
});
