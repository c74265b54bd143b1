// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { modelWithHealing } from "../../../core/trace/testing/healed-trace.ts";
import { modelWithQuestions } from "../../../core/trace/testing/question-trace.ts";
import { only, render } from "../../../view/ui/testing/render.ts";
import { createRunStore } from "../store/run-store.ts";
import { LinkLegend } from "./link-legend.tsx";

test("the legend of a link explains the marks of its run, and no others", async () => {
  const run = createRunStore(null);
  run.getState().show(modelWithQuestions());
  await render(<LinkLegend run={run} />);
  const words = [...only(".link-legend").querySelectorAll("dt")].map((each) => each.textContent);
  expect(words).toEqual(["forced", "removed", "replacement", "asked", "inserted answer"]);
  expect(only(".link-legend").textContent).toContain(
    "the model’s answer to a hidden question, put into the text",
  );
});

test("the legend does not say that a mod removed a word that token healing took back", async () => {
  const run = createRunStore(null);
  run.getState().show(modelWithHealing());
  await render(<LinkLegend run={run} />);
  const marks = [...only(".link-legend").querySelectorAll("div")].map((each) => each.textContent);
  expect(marks).toEqual(["forceda mod wrote it, not the model", "removedwritten, then deleted"]);
});
