/**
 * Prints lines of tests and documents with phrases that were removed from the texts of users since a commit: `npx tsx
 * scripts/stale-words.ts [COMMIT]`. Without a commit: since this branch left main.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { listStrings, mayHaveUserText } from "./list-strings.ts";
import { stalePhrases, stalePlaces } from "./stale-phrases.ts";
import { userStrings } from "./user-strings.ts";

const root = resolve(import.meta.dirname, "..");
const sources = ["src", "scripts"];

/** The output of git; undefined if git fails. */
function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  return status === 0 ? stdout : undefined;
}

function startOfBranch(): string | undefined {
  const main = ["origin/HEAD", "origin/main", "main"].find(
    (name) => git("rev-parse", "--verify", "-q", name) !== undefined,
  );
  return main === undefined ? undefined : git("merge-base", "HEAD", main)?.trim();
}

/** Whether the file may repeat texts of users. Reports of the build and the changelog contain old words on purpose. */
const repeatsSentences = (path: string) =>
  (/^e2e\/.*\.tsx?$/.test(path) ||
    /\.(test|conformance|property)\.tsx?$|\/testing\/.*\.tsx?$/.test(path) ||
    path.endsWith(".md")) &&
  !/^docs\/api\/|^CHANGELOG\.md$/.test(path);

const lines = (text: string | undefined) => (text ?? "").split("\n").filter((line) => line !== "");

const commit = process.argv[2] ?? startOfBranch();
const changed = commit === undefined ? undefined : git("diff", "--name-only", commit, "--", ...sources);
if (commit === undefined || changed === undefined) {
  console.error(
    `git does not know ${commit ?? "a branch main"} here. Name a commit of this clone: npx tsx scripts/stale-words.ts COMMIT.`,
  );
  process.exit(1);
}

const before = lines(changed)
  .filter(mayHaveUserText)
  .flatMap((path) => userStrings(path, git("show", `${commit}:${path}`) ?? ""))
  .map(({ text }) => text);
const after = listStrings(sources).flatMap(({ strings }) => strings.map(({ text }) => text));
const files = lines(git("ls-files", "--cached", "--others", "--exclude-standard"))
  .filter((path) => repeatsSentences(path) && existsSync(resolve(root, path)))
  .map((path) => ({ path, text: readFileSync(resolve(root, path), "utf8") }));

const places = stalePlaces(stalePhrases(before, after), files);
for (const { path, line, phrase } of places) console.log(`${path}:${line}  ${phrase}`);
console.log(`${places.length} lines have words that left the texts of users since ${commit.slice(0, 12)}.`);
