/** A test file that collects garbage restores its process, because later test files start sandboxes in new realms there. */
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { collectGarbage } from "./collect-garbage.ts";

test("garbage is collected at once", async () => {
  const reference = new WeakRef({ large: new Uint8Array(1_000) });
  // Reading or making a WeakRef keeps its object until the current job ends.
  await new Promise((resolve) => setTimeout(resolve));
  collectGarbage();
  expect(reference.deref()).toBeUndefined();
});

test("new realms have no global that the sandbox cannot remove", () => {
  const stuck = `Reflect.ownKeys(globalThis).filter((name) => !Reflect.getOwnPropertyDescriptor(globalThis, name).configurable)`;
  expect(runInNewContext(stuck)).toEqual(["Infinity", "NaN", "undefined"]);
});
