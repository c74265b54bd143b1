/** docs/timeline.md names exactly the style variables, parts, attributes and panels of the element. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runPanels } from "../../view/timeline/run-panels.ts";
import { TokenTimelineElement } from "./token-timeline-element.ts";

const page = readFileSync("docs/timeline.md", "utf8");
const sources = [
  "timeline-view.tsx",
  "text-view.tsx",
  "full-view.tsx",
  "status-line.tsx",
  "token-timeline.css",
]
  .map((file) => readFileSync(`src/package/element/${file}`, "utf8"))
  .join("\n");
const all = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].sort();

test("every variable that its styles take is named, and no other", () => {
  expect(all(page, /(--token-timeline-[a-z0-9-]+)/g)).toEqual(
    all(sources, /var\((--token-timeline-[a-z0-9-]+)/g),
  );
});

test("every part is named, and no other", () => {
  const [, said = ""] = /`::part\(\)` takes (.*)/.exec(page) ?? [];
  expect(all(said, /`([a-z]+)`/g)).toEqual(all(sources, /part="([a-z]+)"/g));
});

test("every attribute and panel is named", () => {
  for (const attribute of [...TokenTimelineElement.observedAttributes, "theme"])
    expect(page).toContain(`\`${attribute}`);
  for (const { id } of runPanels) expect(page).toContain(`\`${id}\``);
});
