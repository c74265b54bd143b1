/**
 * The page is a client of the public API: an app can import every name that the page imports from session or sandbox from
 * `midtoken/session`. The page imports the files themselves, because a bundler would load an entry with all its exports.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const entry = "src/package/api/session-entry.ts";

/** The names in a statement's braces, and the file from which they come. */
function namesFrom(path: string, text: string, keyword: string): { name: string; file: string }[] {
  const statements = text.matchAll(
    new RegExp(`^${keyword} (?:type )?(?:\\{([^}]*)\\}|(\\*)) from "(\\.[^"]+)"`, "gm"),
  );
  return Array.from(statements).flatMap(([, names, star, from = ""]) =>
    (star ?? names ?? "")
      .split(",")
      .map((name) =>
        name
          .trim()
          .replace(/^type /, "")
          .replace(/ as .*/, ""),
      )
      .filter((name) => name !== "")
      .map((name) => ({ name, file: join(path, "..", from) })),
  );
}

const exported = new Set(
  namesFrom(entry, readFileSync(entry, "utf8"), "export").map(({ name, file }) => `${file} ${name}`),
);

/** Whether a file belongs to the engine, not to code that every folder may use. */
function isOfEngine(file: string): boolean {
  return /^src\/(runtime|core\/tools)\//.test(file);
}

test("the page imports of the engine only names that midtoken/session exports", () => {
  const paths = readdirSync("src/page/app", { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
    .map((path) => `src/page/app/${path}`);
  const imported = paths
    .flatMap((path) => namesFrom(path, readFileSync(path, "utf8"), "import"))
    .filter(({ file }) => isOfEngine(file));
  expect(imported.length).toBeGreaterThan(40);
  const missing = imported.filter(
    ({ name, file }) => !exported.has(`${file} ${name}`) && !exported.has(`${file} *`),
  );
  expect(missing).toEqual([]);
});
