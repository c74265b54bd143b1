/** Writes the licences of the packages whose code is part of ours into one text. */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { root } from "./subpaths.ts";

/** @throws Error for a package without a licence */
export function licencesOf(packages: readonly string[]): string {
  return packages.map(licenceOf).join(`\n\n${"-".repeat(80)}\n\n`);
}

function licenceOf(name: string): string {
  const folder = resolve(root, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(resolve(folder, "package.json"), "utf8")) as Record<
    string,
    unknown
  >;
  if (typeof license !== "string") throw new Error(`${name} does not say its licence.`);
  const file = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path));
  // Some packages have their licence text only at the root of their repository: then the licence's name is used.
  const text = file === undefined ? "" : `\n\n${readFileSync(resolve(folder, file), "utf8").trim()}`;
  return `${name} ${String(version)}: ${license}${text}`;
}
