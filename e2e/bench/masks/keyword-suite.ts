/**
 * The JSON Schema Test Suite, by draft: what is refused, and which instances are wrongly accepted or rejected. The suite is no part
 * of the repository; Debian's package libtest-json-schema-acceptance-perl has it. Its folder, with `tests/draft7` in it, is read
 * from JSON_SCHEMA_TEST_SUITE.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Json } from "../../../src/core/masks/json-schema/normal-form.ts";
import type { Dialect } from "../../../src/core/masks/testing/cases.ts";
import { type Verdict, verdictOf } from "../../../src/core/masks/testing/verdicts.ts";
import { atMost, type BenchRow, exactly, figure, missingRows } from "../machine.ts";

const drafts = [
  ["draft4", "draft-04", "http://json-schema.org/draft-04/schema#"],
  ["draft6", "draft-06", "http://json-schema.org/draft-06/schema#"],
  ["draft7", "draft-07", "http://json-schema.org/draft-07/schema#"],
  ["draft2019-09", "2019-09", "https://json-schema.org/draft/2019-09/schema"],
  ["draft2020-12", "2020-12", "https://json-schema.org/draft/2020-12/schema"],
] as const;

/** A group as the suite's files have it. */
interface Group {
  readonly description: string;
  readonly schema: Json;
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[];
}

/** Schemas that no value meets, and references to other documents: counted apart. */
const isApart = (message: string) => /no value is valid|is in another document/.test(message);

export async function keywordSuiteRows(): Promise<BenchRow[]> {
  const folder = process.env.JSON_SCHEMA_TEST_SUITE;
  if (!folder) return missingRows("the JSON Schema Test Suite by draft", "JSON_SCHEMA_TEST_SUITE");
  return drafts.flatMap(([name, dialect, uri]) =>
    rowsOf(dialect, readDraft(`${folder}/tests/${name}`, dialect, uri)),
  );
}

/** The groups of the required part, each with the draft's `$schema`. */
function readDraft(folder: string, dialect: Dialect, $schema: string): Verdict[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.flatMap((file) => {
    const groups: readonly Group[] = JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
    return groups.map(({ description, schema, tests }) =>
      verdictOf({
        name: `${file}: ${description}`,
        dialect,
        schema: typeof schema === "object" ? { $schema, ...schema } : schema,
        valid: tests.filter(({ valid }) => valid).map(({ data }) => data),
        invalid: tests
          .filter(({ valid }) => !valid)
          .map((one) => ({ breaks: one.description, value: one.data })),
      }),
    );
  });
}

function rowsOf(dialect: Dialect, verdicts: readonly Verdict[]): BenchRow[] {
  const all = verdicts.flatMap(({ refusal }) => refusal ?? []);
  const refused = all.filter(({ message }) => !isApart(message));
  const wrong = verdicts.flatMap((verdict) => verdict.wrong);
  const accepted = wrong.filter((text) => text.includes(" accepts invalid "));
  for (const { name, message } of refused) console.error(`  ${dialect} refused: ${name}: ${message}`);
  for (const text of wrong) console.error(`  ${dialect} wrong: ${text}`);
  const share = (100 * refused.length) / verdicts.length;
  return [
    atMost(`${dialect}: refused of ${verdicts.length} groups`, share, "%", 4),
    figure(`${dialect}: unsatisfiable or in another document`, all.length - refused.length, "groups"),
    exactly(`${dialect}: invalid instances accepted`, accepted.length, "instances", 0),
    figure(`${dialect}: valid instances rejected`, wrong.length - accepted.length, "instances"),
  ];
}
