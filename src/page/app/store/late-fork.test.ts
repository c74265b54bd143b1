/** The user goes on clicking while the code of a fork or an example is fetched. */
import { expect, test } from "vitest";
import { requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { fetchForking, forkIntoEditorLazily, loadNamedExampleLazily } from "./late-fork.ts";
import type { Stores } from "./stores.ts";
import { createTestStores } from "./testing/test-stores.ts";

const first = { mods: ["one", "two"].map((name) => ({ name, source: `// ${name}`, enabled: true })) };
const request = requestRecord({ mods: [{ name: "from-the-link", source: "// linked" }] });

function open({ mods }: Stores, name: string): void {
  mods.getState().open(mods.getState().mods.find((mod) => mod.name === name)?.id ?? "");
}

function openName({ mods }: Stores): string | undefined {
  const { mods: list, active } = mods.getState();
  return list.find(({ id }) => id === active)?.name;
}

test.each([
  ["a fork", (stores: Stores) => forkIntoEditorLazily(stores, request, null), "from-the-link"],
  ["an example", (stores: Stores) => loadNamedExampleLazily(stores, "ban-word"), "ban-word"],
])("%s opens its mod, unless the user opened another one meanwhile", async (_, start, own) => {
  const undisturbed = createTestStores({ first });
  expect(await start(undisturbed)).toBe(true);
  expect(openName(undisturbed)).toBe(own);

  const stores = createTestStores({ first });
  const done = start(stores);
  open(stores, "two");
  expect(await done).toBe(true);
  expect(openName(stores)).toBe("two");
  expect(stores.mods.getState().mods.filter(({ enabled }) => enabled)).toMatchObject([{ name: own }]);
});

test("a fork whose code was fetched changes the editor at once", async () => {
  await fetchForking();
  const stores = createTestStores({ first });
  const done = forkIntoEditorLazily(stores, request, null);
  expect(openName(stores)).toBe("from-the-link");
  expect(await done).toBe(true);
});
