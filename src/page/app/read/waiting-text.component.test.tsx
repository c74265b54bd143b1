// @vitest-environment happy-dom
/** While a run has not written a word, the place of the text says what the run does, and Cancel stops the run. */
import { act } from "react";
import { expect, test, vi } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { click, findButton, findOnly, render } from "../../../view/ui/testing/render.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { WaitingText } from "./waiting-text.tsx";

test("starting, a prompt that is being read, and the first word", async () => {
  const stores = createTestStores();
  const view = await render(
    <StoresProvider value={stores}>
      <WaitingText />
    </StoresProvider>,
  );
  expect(view.textContent).toBe("");
  await act(async () => stores.run.setState({ status: "starting" }));
  expect(view.textContent).toBe("Starting …");

  const trace = createTraceModel();
  const builder = createTraceBuilder(requestRecord());
  const shown = async () => {
    trace.append(builder.records.slice(trace.records.length));
    const stop = vi.fn();
    await act(async () => stores.run.setState({ status: "running", trace, version: trace.version, stop }));
    return stop;
  };
  await shown();
  expect(view.textContent).toContain("Reading the prompt …");
  expect(findOnly("progress").hasAttribute("value")).toBe(false);
  const prompt = Array.from({ length: 20_000 }, (_, token) => ({ token, text: "x" }));
  builder.prefill(prompt);
  await shown();
  builder.forward(null, 512);
  const stop = await shown();
  expect(view.textContent).toContain("Reading the prompt: 512 of 20,000 tokens");
  expect(findOnly("progress").getAttribute("value")).toBe("512");
  await click(findButton("Cancel"));
  expect(stop).toHaveBeenCalledOnce();

  builder.forward({ entropy: 1, top: [] }, prompt.length - 512);
  builder.sample({ token: 2, text: "Once" }, {});
  builder.add([{ token: 2, text: "Once" }], "sampled");
  await shown();
  expect(view.textContent).toBe("");
});
