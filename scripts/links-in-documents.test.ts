/** Every link in a document leads to a file, and to a heading of that file. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const documents = [
  ...["README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"],
  ...filesBelow("docs"),
  ...filesBelow("src"),
  ...filesBelow("scripts"),
].filter((path) => existsSync(path));

function filesBelow(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => path.endsWith(".md")).map((path) => join(folder, path));
}

/** Without the blocks of code, in which nothing is a link or a heading. */
function readProse(path: string): string {
  return readFileSync(path, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
}

const anchors = new Map<string, ReadonlySet<string>>();

function anchorsOf(path: string): ReadonlySet<string> {
  const known = anchors.get(path) ?? readAnchors(path);
  anchors.set(path, known);
  return known;
}

/** Anchors of the headings, as GitHub makes them: a heading that is repeated gets a number. */
function readAnchors(path: string): ReadonlySet<string> {
  const times = new Map<string, number>();
  const found = new Set<string>();
  for (const [, heading = ""] of readProse(path).matchAll(/^#+ (.+)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    const plain = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    const before = times.get(plain) ?? 0;
    times.set(plain, before + 1);
    found.add(before === 0 ? plain : `${plain}-${before}`);
  }
  return found;
}

function brokenLinks(path: string): readonly string[] {
  const prose = readProse(path).replaceAll(/`[^`\n]*`/g, "");
  const broken: string[] = [];
  for (const [, link = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/i.test(link)) continue;
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? path : join(dirname(path), file);
    if (!existsSync(target)) broken.push(link);
    else if (anchor && !statSync(target).isDirectory() && !anchorsOf(target).has(anchor)) broken.push(link);
  }
  return broken;
}

test.each(documents)("%s", (path) => {
  expect(brokenLinks(path)).toEqual([]);
});
