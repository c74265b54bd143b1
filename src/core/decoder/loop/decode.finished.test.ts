/** The event `finished` tells a mod the same as the trace. */
import { expect, test } from "vitest";
import type { DecodeRequest } from "../ports/request.ts";
import { inProcessMod } from "../testing/in-process-mod.ts";
import { runDecode } from "../testing/run-decode.ts";

test.each<[string, string, Partial<DecodeRequest>, string]>([
  ["a stop sequence is not in it", "d", { stop: ["g"] }, "ef"],
  ["an end of sequence is not in it", "wx", {}, "yz"],
  ["the limit leaves it whole", "d", { maxTokens: 3 }, "efg"],
])("text at finished: %s", async (_, prompt, request, text) => {
  const texts: string[] = [];
  const mod = inProcessMod("m", { finished: (event) => void texts.push(event.text) });
  const { finished } = await runDecode({ prompt, request, mods: [mod] });
  expect(finished.text).toBe(text);
  expect(texts).toEqual([text]);
});
