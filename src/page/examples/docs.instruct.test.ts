/** The examples of docs/mods.md that need the instruct model give the output that the page shows. */
import { test } from "vitest";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { guide, runGuideExample } from "./testing/guide-examples.ts";

describeOnInstructModel((model) => {
  test.each(guide.examples.filter(({ flags }) => flags.includes("instruct")))("$title", (example) =>
    runGuideExample(model(), example),
  );
});
