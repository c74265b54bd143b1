import { expect, test } from "vitest";
import { userStrings } from "./user-strings.ts";

test("sentences and labels are found, with their lines", () => {
  const source = [
    `import { a } from "a b";`,
    'const note = <p className="big bold" title="Copy the link">Sent to {count} people.</p>;',
    `throw new Error(\`The file \${name} is empty.\`);`,
    'type Kind = "not for users";',
    'const key = kind === "added" ? "Added" : element.querySelector("ul > li");',
  ].join("\n");
  expect(userStrings("example.tsx", source)).toEqual([
    { line: 2, text: "Sent to {…} people." },
    { line: 2, text: "Copy the link" },
    { line: 3, text: "The file {…} is empty." },
    { line: 5, text: "Added" },
  ]);
});

test("the text around child elements is read as one sentence, and so is the child's", () => {
  const source = "const a = <p>\n  Open <b>the history</b>\n  now.\n</p>;";
  expect(userStrings("a.tsx", source).map(({ text }) => text)).toEqual(["Open {…} now.", "the history"]);
});

test("a source that is not TypeScript is refused", () => {
  expect(() => userStrings("a.ts", "const = 1")).toThrow();
});
