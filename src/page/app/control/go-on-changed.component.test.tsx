// @vitest-environment happy-dom
/** One place at a time offers to continue a run: its end when the run is over, beside each other if there are two ways. */
import { act } from "react";
import { expect, test } from "vitest";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { selectToken } from "../../../core/trace/model/selection.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { render } from "../../../view/ui/testing/render.ts";
import { createImportedRunFields } from "../store/shown-run.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { ContinueAtEnd, ContinueRun } from "./go-on-changed.tsx";

/** Shows a run of one mod that ended at its limit of 20 tokens. */
async function renderEndedRun() {
  const [first, ...rest] = sampleTrace({ tokens: 20 }).records;
  const request = { ...(first as RequestRecord), maxTokens: 20, mods: [{ name: "own", source: "// ran" }] };
  const atLimit = (record: TraceRecord): TraceRecord =>
    record.type === "finished" ? { ...record, reason: "length", lengthLimit: "maxTokens" } : record;
  const trace = createTraceModel();
  trace.append([request, ...rest.map(atLimit)]);
  const stores = createTestStores({ first: { mods: [{ name: "own", source: "// ran", enabled: true }] } });
  stores.run.getState().show(trace, { ...createImportedRunFields(), recorded: false });
  await render(
    <StoresProvider value={stores}>
      <div id="below">
        <ContinueAtEnd />
      </div>
      <div id="beside">
        <ContinueRun isStepShown={false} />
      </div>
    </StoresProvider>,
  );
  return stores;
}

const names = (place: string) =>
  [...document.querySelectorAll(`#${place} button`)].map(
    (button) => button.getAttribute("aria-label") ?? button.textContent,
  );

test("a run at its limit offers both ways in one place once the editor's mods differ", async () => {
  const stores = await renderEndedRun();
  expect(names("below")).toEqual(["Continue for 20 more tokens"]);
  expect(names("beside")).toEqual([]);

  const [own] = stores.mods.getState().mods;
  await act(async () => stores.mods.getState().edit(own?.id ?? "", "// changed"));
  expect(names("below")).toEqual([
    "Continue for 20 more tokens with this run’s mods",
    "Continue for 20 more tokens with the editor’s mods",
  ]);
  expect(document.querySelector("#below")?.textContent).toBe(
    "Continue for 20 more tokens withthis run’s modsthe editor’s mods",
  );
  expect(names("beside")).toEqual([]);

  await act(async () => stores.run.getState().select(selectToken(4)));
  expect(names("beside")).toEqual(["Continue from token 5 with the editor’s mods"]);
});

test("a paused run offers the editor's mods beside the run", async () => {
  const stores = await renderEndedRun();
  const [own] = stores.mods.getState().mods;
  await act(async () => {
    stores.mods.getState().edit(own?.id ?? "", "// changed");
    stores.run.setState({ status: "paused" });
  });
  expect(names("below")).toEqual([]);
  expect(names("beside")).toEqual(["Continue for 20 more tokens with the editor’s mods"]);
});
