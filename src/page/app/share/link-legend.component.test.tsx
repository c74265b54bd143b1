// @vitest-environment happy-dom
import { act } from "react";
import { expect, test, vi } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { modelWithHealing } from "../../../core/trace/testing/healed-trace.ts";
import { modelWithQuestions } from "../../../core/trace/testing/question-trace.ts";
import { banOfOne, createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { findOnly, render } from "../../../view/ui/testing/render.ts";
import { createRunStore } from "../store/run-store.ts";
import { LinkLegend } from "./link-legend.tsx";

test("the legend of a link explains the marks of its run, and no others", async () => {
  const run = createRunStore(null);
  run.getState().show(modelWithQuestions());
  await render(<LinkLegend run={run} />);
  const words = [...findOnly(".link-legend").querySelectorAll("dt")].map((each) => each.textContent);
  expect(words).toEqual(["forced", "removed", "replacement", "asked", "answering a question"]);
  expect(findOnly(".link-legend").textContent).toContain(
    "the model’s answer to a hidden question, put into the text",
  );
});

test("the legend does not say that a mod removed a word that token healing took back", async () => {
  const run = createRunStore(null);
  run.getState().show(modelWithHealing());
  await render(<LinkLegend run={run} />);
  const marks = [...findOnly(".link-legend").querySelectorAll("dl > div")].map((each) => each.textContent);
  expect(marks).toEqual(["forceda mod wrote it, not the model", "removedwritten, then deleted"]);
});

test.each([
  [1, ["adjusted, same word"]],
  [9, []],
])(
  "%i of ten words adjusted, but the same: the legend names the dotted line if the text has it",
  async (count, words) => {
    const builder = createTraceBuilder(requestRecord({ mods: [{ name: "mood", source: "" }] }));
    builder.prefill([{ token: 1, text: "x" }]);
    for (let place = 0; place < 10; place += 1) {
      const token = { token: 2, text: ` word${place}` };
      builder.forward({ entropy: 1, top: [] });
      if (place < count) {
        builder.call(0, "forwardPass", banOfOne);
        builder.adjust({ entropy: 1, top: [] });
      }
      builder.sample(token, {});
      builder.add([token], "sampled");
    }
    const trace = createTraceModel();
    trace.append(builder.finish("stop").records);
    const run = createRunStore(null);
    run.getState().show(trace);
    await render(<LinkLegend run={run} />);
    expect([...findOnly(".link-legend").querySelectorAll("dt")].map((each) => each.textContent)).toEqual(
      words,
    );
  },
);

test("where the line has no room, a button opens the legend", async () => {
  const run = createRunStore(null);
  run.getState().show(modelWithQuestions());
  const lineWidth = vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(900);
  const room = vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(358);
  try {
    await render(<LinkLegend run={run} />);
    expect(document.querySelector(".link-marks")).toBeNull();
    expect(findOnly(".link-legend > button").textContent).toContain("Legend");
    // happy-dom opens no popover: the browser would send this event.
    const opened = Object.assign(new Event("toggle"), { newState: "open" });
    await act(async () => findOnly(".popover").dispatchEvent(opened));
    expect(findOnly(".popover dl").textContent).toContain("a mod’s hidden question, and the model’s answer");
  } finally {
    lineWidth.mockRestore();
    room.mockRestore();
  }
});
