import { expect, test } from "vitest";
import { runToEnd } from "../../base/resumable-work.ts";
import { TraceError, TraceVersionError } from "../format/trace-error.ts";
import { sampleTrace, seededRandom } from "../testing/sample-trace.ts";
import { noCatchUp, requestRecord } from "../testing/trace-builder.ts";
import { bytesOfFragment, fragmentOf } from "./fragment.ts";
import { fragmentKind } from "./fragment-kind.ts";
import { encodePermalink } from "./permalink.ts";
import { decodingSetup, encodingSetup } from "./setup-link.ts";

const request = requestRecord({
  requestId: "req_1",
  createdAt: 1_790_000_000_000,
  mods: [{ name: "mod", source: "export default 1;\n", entry: "other" }],
});
const encode = (...given: Parameters<typeof encodingSetup>) => runToEnd(encodingSetup(...given));
const decode = (...given: Parameters<typeof decodingSetup>) => runToEnd(decodingSetup(...given));

test("a setup comes back as it was, without what belonged to the run", () => {
  const fragment = encode({
    ...request,
    maker: "Ada",
    branch: { requestId: "req_0", index: 3, isChosen: true, ...noCatchUp },
  });
  expect(fragment).toMatch(/^#s1\.[\w-]+z$/);
  expect(fragmentKind(fragment)).toBe("s");
  const setup = decode(fragment);
  expect(setup).toMatchObject({ mods: request.mods, messages: request.messages, seed: request.seed });
  expect(setup).not.toHaveProperty("maker");
  expect(setup).toMatchObject({ createdAt: 0, branch: null, requestId: "setup" });
  expect(encode(setup)).toBe(fragment);
});

const run = encodePermalink(sampleTrace({ tokens: 20 })).fragment;

test.each([
  ["nothing", "", "contains no setup"],
  ["the link of a run", run, "contains no setup"],
  ["a run that says it is a setup", fragmentOf("s", bytesOfFragment(run, "t")), "contains a whole run"],
  ["a cut one", encode(request).slice(0, -1), "cut off"],
  [
    "one with a sign that is none of its own",
    `${encode(request).slice(0, 20)} .z`,
    "an invalid character at position",
  ],
])("%s is refused", (_, fragment, message) => {
  expect(() => decode(fragment)).toThrow(TraceError);
  expect(() => decode(fragment)).toThrow(message);
});

test("one of a newer Midtoken is called newer", () => {
  expect(() => decode("#s2.AAAz")).toThrow(TraceVersionError);
});

test("500 damaged setups open as a setup or are refused with words", () => {
  const random = seededRandom(11);
  const bytes = bytesOfFragment(encode(request), "s");
  let refused = 0;
  for (let round = 0; round < 500; round += 1) {
    const damaged = bytes.slice();
    damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
    try {
      expect(decode(fragmentOf("s", damaged)).type).toBe("request");
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(400);
});
