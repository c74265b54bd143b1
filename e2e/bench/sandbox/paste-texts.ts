/** Texts of 1 MB that people paste, each as a different kind of work for an editor: many short lines, long lines, one line. */

const size = 1_000_000;

/** Lines of the numbers 0, 1, 2, … until the text has 1 MB. */
function ofLines(line: (index: number) => string): string {
  const lines: string[] = [];
  for (let length = 0; length < size; ) {
    const next = line(lines.length);
    lines.push(next);
    length += next.length + 1;
  }
  return lines.join("\n").slice(0, size);
}

const words = "the quick story of a girl who went to the park and saw that her dog had found it".split(" ");
const sentence = (seed: number) =>
  `${Array.from({ length: 12 }, (_, at) => words[(seed * 7 + at * 5) % words.length]).join(" ")}. `;

const log = ofLines(
  (index) =>
    `2026-11-27T14:${String(index % 60).padStart(2, "0")}:07.${index % 1000}Z [worker-${index % 8}] INFO request ${index}: 200 in ${index % 97} ms (GET /v1/models?limit=${index % 50})`,
);
const prose = ofLines((index) => Array.from({ length: 8 }, (_, at) => sentence(index + at)).join(""));
const json = JSON.stringify(
  Array.from({ length: 5600 }, (_, id) => ({
    id,
    name: `user ${id}`,
    tags: ["a", "b", `t${id % 9}`],
    at: { x: id / 3, y: null },
    active: id % 2 === 0,
  })),
  null,
  2,
).slice(0, size);
const minified = ofLines(
  (index) =>
    `function f${index}(a,b){return a?b.map(c=>c*${index}).filter(Boolean):{k:"v${index}",r:/a+b/g}}`,
).replaceAll("\n", ";");

export const pasteTexts = {
  "log lines": log,
  prose,
  JSON: json,
  "minified code in one line": minified,
} as const satisfies Readonly<Record<string, string>>;
