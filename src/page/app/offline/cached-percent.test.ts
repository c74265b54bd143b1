import { expect, test } from "vitest";
import { cachedPercent } from "./cached-percent.ts";

const begun = (bytes: number, size: number | null) => ({ path: "onnx/model.onnx", bytes, size });

test.each([
  [{ bytes: 100, partialFiles: [] }, 100],
  // 10 of whole files, and 33 of 190.
  [{ bytes: 43, partialFiles: [begun(33, 190)] }, 21],
  [{ bytes: 43, partialFiles: [begun(33, 90), begun(0, 43)] }, 30],
  [{ bytes: 43, partialFiles: [begun(33, null)] }, null],
  [{ bytes: 0, partialFiles: [begun(0, 0)] }, 0],
])("%j: %s %", (model, percent) => {
  expect(cachedPercent(model)).toBe(percent);
});
