/** The code computes the values that the documents print for one schema. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeLongWalk, describeShortWalk } from "./testing/worked-example.ts";

test.each([
  ["src/core/masks/README.md", describeShortWalk],
  ["docs/internals/masks.md", describeLongWalk],
])("%s prints the values of the worked example as they are computed", (path, walk) => {
  expect(readFileSync(path, "utf8")).toContain(`\`\`\`text\n${walk()}\n\`\`\``);
});
