import { expect, test } from "vitest";
import { runToEnd } from "../../../core/base/resumable-work.ts";
import { decodePermalink } from "../../../core/trace/file/permalink.ts";
import { defaultParts, type LinkParts } from "../../../core/trace/file/project.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import {
  choosingInitialLinkParts,
  countingSectionCharacters,
  linkFitSentence,
  linkPartOptions,
  linkPartSizesOf,
  makingLink,
} from "./share-parts.ts";

const trace = sampleTrace();
/** The parts of the shortest link: every part that can be left out is left out. */
const noParts: LinkParts = {
  probabilities: false,
  alternatives: "none",
  draws: false,
  tokenIds: false,
  timings: false,
  logs: false,
  prompt: false,
};
const linkOf = (...given: Parameters<typeof makingLink>) => runToEnd(makingLink(...given));
const firstParts = (...given: Parameters<typeof choosingInitialLinkParts>) =>
  runToEnd(choosingInitialLinkParts(...given));

test("a link replaces the fragment of the page, and opens", () => {
  const link = linkOf(trace, defaultParts, [], "https://host/path/?a=b#t1.old");
  expect(link.address).toMatch(/^https:\/\/host\/path\/\?a=b#t1\./);
  expect(link.address.match(/#/g)).toHaveLength(1);
  expect(decodePermalink(link.fragment).trace.records).toHaveLength(trace.records.length);
});

test("a link does not ask for the comparison on the page, whose other run only this browser has", () => {
  const { address } = linkOf(trace, defaultParts, [], "https://host/?select=3&compare=run-1#t1.old");
  expect(address).toMatch(/^https:\/\/host\/\?select=3#t1\./);
});

test.each(linkPartOptions.map(({ part }) => part))("leaving out %s makes the link shorter", (part) => {
  const all = {
    ...defaultParts,
    probabilities: true,
    draws: true,
    tokenIds: true,
    timings: true,
    logs: true,
    prompt: true,
  };
  const length = (on: boolean) => linkOf(trace, { ...all, [part]: on }, [], "https://host/").length;
  expect(length(false)).toBeLessThan(length(true));
  expect(linkOf(trace, noParts, [], "https://host/").length).toBeLessThan(length(false));
});

test("alternatives are in from the start only where they leave a short link", () => {
  expect(
    linkOf(trace, { ...defaultParts, alternatives: "gated" }, [], "https://host/").length,
  ).toBeGreaterThan(3_000);
  expect(firstParts(trace, [], "https://host/").alternatives).toBe("none");
  const short = sampleTrace({ tokens: 60 });
  expect(firstParts(short, [], "https://host/").alternatives).toBe("gated");
});

test("each part that can be left out has a cost", () => {
  const costs = runToEnd(countingSectionCharacters(trace, []));
  expect(linkPartOptions.filter(({ section }) => !costs.get(section))).toEqual([]);
});

test.each(["none", "gated"] as const)(
  "the sizes of the chosen parts and of the rest add up to the length of the link (alternatives: %s)",
  (alternatives) => {
    const chosen = { ...defaultParts, alternatives };
    const link = linkOf(sampleTrace({ tokens: 60 }), chosen, [], "https://host/");
    const { parts, rest } = linkPartSizesOf(link);
    expect(parts.has("alternatives")).toBe(alternatives !== "none");
    expect(rest).toBeGreaterThan("https://host/".length);
    expect([...parts.values()].reduce((sum, size) => sum + size, rest)).toBe(link.length);
  },
);

test.each([
  [1_900, "Discord"],
  [3_000, "Too long for Discord"],
  [20_000, "issue"],
  [70_000, "file"],
])("%i characters", (length, word) => expect(linkFitSentence(length)).toContain(word));
