/** The names that mods can import: a list made by hand, short enough to know. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { moduleExports } from "../../runtime/sandbox/module-exports.ts";
import * as flow from "./flow.ts";
import * as sdk from "./index.ts";
import * as strategies from "./strategies.ts";

const entries = { index: sdk, strategies, flow };

test.each(Object.entries(entries))("%s exports at most 25 names, each listed", (name, exports) => {
  const text = readFileSync(`src/core/sdk/${name}.ts`, "utf8");
  const names = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list]) =>
    (list ?? "").split(",").flatMap((word) => word.trim() || []),
  );
  expect(text).not.toMatch(/export \*/);
  expect(names.length).toBeLessThanOrEqual(25);
  for (const exported of Object.keys(exports)) expect(names).toContain(exported);
});

test.each(Object.entries(entries))("the mods' compiler knows what %s exports", (name, exports) => {
  const text = readFileSync(`src/core/sdk/${name}.ts`, "utf8");
  const types = [...text.matchAll(/^export type \{([^}]*)\} from/gm)].flatMap(([, list = ""]) =>
    list.split(",").flatMap((word) => word.trim() || []),
  );
  const module = `midtoken/${name.replace("index", "mod")}`;
  const known = Object.entries(moduleExports).find(([other]) => other === module)?.[1];
  expect([...(known?.values ?? [])].sort()).toEqual(Object.keys(exports).sort());
  expect([...(known?.types ?? [])].sort()).toEqual(types.sort());
});

test("no name is in two of them", () => {
  const names = Object.values(entries).flatMap((exports) => Object.keys(exports));
  expect([...new Set(names)]).toHaveLength(names.length);
});
