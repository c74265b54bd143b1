/** The page is a client of the public API: whatever it imports of it, an app that embeds Midtoken can import too. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const exported = [
  ...readFileSync("src/package/api/session-entry.ts", "utf8").matchAll(/export \* from "\.\/([^"]+)"/g),
];
const modules = new Set(exported.map(([, file]) => file));

test("the page imports only files that midtoken/session exports", () => {
  const paths = readdirSync("src/page/app", { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  const imported = paths.flatMap((path) => {
    const text = readFileSync(`src/page/app/${path}`, "utf8");
    return [...text.matchAll(/"(?:\.\.\/)+package\/api\/([^"]+)"/g)].map(([, file]) => ({ path, file }));
  });
  expect(imported.length).toBeGreaterThan(40);
  expect(imported.filter(({ path, file = "" }) => !modules.has(file) && !/\.test\.tsx?$/.test(path))).toEqual(
    [],
  );
});
