import { expect, test } from "vitest";
import { apiReports } from "./api-report.ts";

const declarations = new Map([
  [
    "types/first.d.ts",
    `import type { Shared } from "./shared.js";
/**
 * Opens a run,
 * which may be:
 * - new;
 * - saved
 *   before.
 */
export declare function open(shared: Shared): Open;
export interface Open {
    readonly shared: Shared;
}
`,
  ],
  [
    "types/second.d.ts",
    `import type { Open } from "./first.js";
import type { Shared } from "./shared.js";
export { open as openRun } from "./first.js";
export declare const all: readonly (Open | Shared)[];
`,
  ],
  ["types/shared.d.ts", "/** What both use. */\nexport interface Shared {\n    readonly id: string;\n}\n"],
]);

const reports = apiReports(
  [
    { title: "kit", file: "first.md", path: "types/first.d.ts" },
    { title: "kit/second", file: "second.md", path: "types/second.d.ts" },
  ],
  declarations,
);
const first = reports.get("first.md") ?? "";
const second = reports.get("second.md") ?? "";

test("each declaration is reported once", () => {
  const both = first + second;
  for (const code of ["function open(", "interface Open ", "interface Shared ", "const all:"])
    expect(both.split(code).length - 1, code).toBe(1);
  expect(first).toContain("## Open\n\n```ts\ninterface Open {");
  expect(first).toContain(
    "# Types that these mention\n\n## Shared\n\nWhat both use.\n```ts\ninterface Shared {",
  );
});

test("a paragraph of a comment is one line, and each item of a list is a line", () => {
  expect(first).toContain("Opens a run, which may be:\n- new;\n- saved before.\n```ts\nfunction open(");
});

test("another entry links to it, by its own name and to the heading as GitHub numbers it", () => {
  expect(second).toContain(
    "# Exported here, described with another entry\n\n- `kit`: [openRun](first.md#open-1)\n",
  );
  expect(second).toContain(
    "# Mentioned here, described with another entry\n\n- `kit`: [Open](first.md#open), [Shared](first.md#shared)\n",
  );
});
