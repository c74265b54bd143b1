import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileSource } from "../../runtime/sandbox/compile.ts";
import { constantName, insertVector, steeringModSource } from "./insert-vector.ts";

const text = 'cheer"ful:bamdmabacaeaaaeniaopgaaaanehdap';
const literal = JSON.stringify(text);
const constant = `const cheerful = steeringVector(${literal});`;
const how =
  "// To steer with this vector, add layers: [cheerful.layer] to the mod, and return actions.steer({ ...cheerful, scale: 2 }) from prefilled.";
const steering =
  "\n  layers: [cheerful.layer],\n  prefilled(event, actions) {\n    return actions.steer({ ...cheerful, scale: 2 });\n  },\n";

const cases: [string, string, string][] = [
  ["an empty mod", "", `import { steeringVector } from "midtoken/mod";\n\n${constant}\n${how}\n`],
  [
    "a mod",
    'import { mod } from "midtoken/mod";\n\nexport default mod({});\n',
    `import { mod, steeringVector } from "midtoken/mod";\n\n${constant}\n\nexport default mod({${steering}});\n`,
  ],
  [
    "code right after the import",
    'import { mod } from "midtoken/mod";\nexport default mod({});\n',
    `import { mod, steeringVector } from "midtoken/mod";\n\n${constant}\n\nexport default mod({${steering}});\n`,
  ],
  [
    "imports over several lines, and of more modules",
    'import {\n  mod,\n  requestState,\n} from "midtoken/mod";\nimport { regex } from "midtoken/strategies";\n\n// So.\n',
    `import {\n  mod,\n  requestState,\n  steeringVector,\n} from "midtoken/mod";\nimport { regex } from "midtoken/strategies";\n\n${constant}\n${how}\n\n// So.\n`,
  ],
  [
    "a comment before the import, single quotes and no semicolons",
    "// Mine.\nimport { mod } from 'midtoken/mod'\n\nexport default mod({})",
    `// Mine.\nimport { mod, steeringVector } from 'midtoken/mod'\n\n${constant}\n\nexport default mod({${steering}})`,
  ],
  [
    "the import is there",
    'import { mod, steeringVector } from "midtoken/mod";\n\nconst other = steeringVector("x");\n',
    `import { mod, steeringVector } from "midtoken/mod";\n\n${constant}\n${how}\n\nconst other = steeringVector("x");\n`,
  ],
  [
    "no import from midtoken/mod",
    'import { regex } from "midtoken/strategies";\n\nexport default 1;\n',
    `import { steeringVector } from "midtoken/mod";\nimport { regex } from "midtoken/strategies";\n\n${constant}\n${how}\n\nexport default 1;\n`,
  ],
];

describe("a vector is put into", () => {
  test.each(cases)("%s", (_, source, expected) => {
    const inserted = insertVector(source, "cheerful", text, 2);
    expect(inserted.source).toBe(expected);
    expect(inserted.source.split("\n")[inserted.line - 1]).toBe(constant);
    expect(inserted).toMatchObject({ constant: "cheerful", wasThere: false });
    expect(inserted.steers).toBe(expected.includes(steering));
  });

  test("a source that has it: nothing changes", () => {
    const once = insertVector('import { mod } from "midtoken/mod";\n', "cheerful", text, 2);
    expect(insertVector(once.source, "another name", text, 2)).toEqual({ ...once, wasThere: true });
  });

  test("a mod that has layers already keeps them: a comment says what to add", () => {
    const source = 'import { mod } from "midtoken/mod";\n\nexport default mod({\n  layers: [3],\n});\n';
    const inserted = insertVector(source, "cheerful", text, 2);
    expect(inserted.steers).toBe(false);
    expect(inserted.source).toContain(`${constant}\n${how}\n\nexport default mod({\n  layers: [3],\n});`);
  });

  test("a source that uses the name: it gets another one", () => {
    const inserted = insertVector(
      'import { mod } from "midtoken/mod";\nlet cheerful, cheerful2;\n',
      "cheerful",
      text,
      2,
    );
    expect(inserted.constant).toBe("cheerful3");
    expect(inserted.source).toContain(`const cheerful3 = steeringVector(${literal});`);
  });

  test("whatever it is called and whatever stands there, as code that parses as before", () => {
    const sources = cases.map(([, source]) => source);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom(...sources), (name, source) => {
        // The JavaScript engine's own parser decides which names are valid.
        new Function(`const ${constantName(name)} = 1;`);
        for (const made of [insertVector(source, name, text, 2).source, steeringModSource(name, text, 2)])
          expect(problemsOf(made)).toEqual([]);
      }),
    );
  });
});

test.each([
  ["cheerful", "cheerful"],
  ["French", "french"],
  ["very  cheerful!", "veryCheerful"],
  ["très gai", "trèsGai"],
  ["NASA talk", "NASATalk"],
  ["3 wishes", "vector3Wishes"],
  ["new", "newVector"],
  ["scale", "scaleVector"],
  ["x²", "x"],
  ["…", "direction"],
])("%s as a constant is %s", (name, expected) => {
  expect(constantName(name)).toBe(expected);
});

function problemsOf(source: string): readonly unknown[] {
  const compiled = compileSource(source);
  return compiled.ok ? [] : compiled.problems;
}
