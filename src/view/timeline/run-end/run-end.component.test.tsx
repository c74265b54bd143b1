// @vitest-environment happy-dom
/** The notice at the end of a run is drawn again whenever a panel opens; its sentences are not worked out again. */
import { useState } from "react";
import { expect, test } from "vitest";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modelWithRepeatedAnswer } from "../../../core/trace/testing/question-trace.ts";
import { click, findButton, render } from "../../ui/testing/render.ts";
import { authorshipOf } from "../ribbon/ribbon-cells.ts";
import { RunEndNotice } from "./run-end.tsx";

test("sentences about mods are worked out once per authorship, not at each update of the notice", async () => {
  const reads = { count: 0 };
  const trace = countingSpanReads(modelWithRepeatedAnswer(), reads);
  const authorship = authorshipOf(trace);
  function Pane() {
    const [updates, setUpdates] = useState(0);
    return (
      <>
        <button type="button" onClick={() => setUpdates(updates + 1)}>
          Update
        </button>
        <RunEndNotice
          trace={trace}
          failure={null}
          interrupted={false}
          canRun
          authorship={authorship}
          below={`${updates} updates`}
        />
      </>
    );
  }
  reads.count = 0;
  const root = await render(<Pane />);
  const readsOnce = reads.count;
  expect(readsOnce).toBeGreaterThan(0);
  await click(findButton("Update", root));
  expect(root.textContent).toContain("1 updates");
  expect(reads.count).toBe(readsOnce);
});

/** The same trace, which counts how often its spans are read. */
function countingSpanReads(trace: TraceModel, reads: { count: number }): TraceModel {
  return new Proxy(trace, {
    get(target, key, receiver) {
      if (key === "spans") reads.count += 1;
      return Reflect.get(target, key, receiver);
    },
  });
}
