import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { encodeModel, parseModel } from "./codec.ts";
import { exportedGraphs } from "./testing/graphs.ts";

const exported = exportedGraphs();
if (exported.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS", () => {});
else
  describe("whole files", () => {
    test.each(exported)("%s comes back byte for byte", (path) => {
      const bytes = readFileSync(path);
      expect(bytes.equals(encodeModel(parseModel(bytes)))).toBe(true);
    });
  });
