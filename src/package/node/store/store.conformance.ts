/** The tests that every implementation of `EngineStore` must pass. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type EngineStore, type StoreLimits, storeLimits } from "../../api/store/engine-store.ts";
import { type KeyvConnection, KeyvStore } from "./keyv-store.ts";

export interface StoreUnderTest {
  /** Opens a store that contains the entries of the stores that the same test opened before. */
  open(options: { readonly limits: StoreLimits; readonly lifetime: number }): Promise<EngineStore>;
  /** Removes all entries. */
  clear(): Promise<void>;
  /** Whether entries expire. */
  readonly hasLifetime: boolean;
}

const bytes = (...values: readonly number[]) => Uint8Array.from(values);
const hour = 3_600_000;
/** Waits longer than the resolution of file and database times: a Linux kernel with 100 ticks a second has one of 10 ms. */
const nextMoment = () => new Promise((resolve) => setTimeout(resolve, 25));

export function describeStoreTests(name: string, under: () => StoreUnderTest): void {
  describe(name, () => {
    const open: EngineStore[] = [];
    const openStore = async (limits: Partial<StoreLimits> = {}, lifetime = hour): Promise<EngineStore> => {
      const store = await under().open({ limits: { ...storeLimits, ...limits }, lifetime });
      open.push(store);
      return store;
    };
    beforeEach(() => under().clear());
    afterEach(async () => {
      for (const store of open.splice(0)) await store.close();
    });

    test("gives back the bytes of an entry, by its kind and id", async () => {
      const store = await openStore();
      const all = Uint8Array.from({ length: 256 }, (_, value) => value);
      await store.set("trace", "a", all);
      await store.set("response", "a", bytes());
      expect(await store.get("trace", "a")).toEqual(all);
      expect(await store.get("response", "a")).toEqual(bytes());
      expect(await store.get("mod", "a")).toBeNull();
      expect(await store.get("trace", "b")).toBeNull();
    });

    test("replaces and deletes an entry", async () => {
      const store = await openStore();
      await store.set("mod", "a", bytes(1));
      await store.set("mod", "a", bytes(2));
      expect(await store.get("mod", "a")).toEqual(bytes(2));
      expect(await store.list("mod")).toEqual(["a"]);
      expect(await store.delete("mod", "a")).toBe(true);
      expect(await store.delete("mod", "a")).toBe(false);
      expect(await store.get("mod", "a")).toBeNull();
      expect(await store.list("mod")).toEqual([]);
    });

    test.each([
      "../../etc/passwd",
      "/",
      "..",
      "a::b",
      "a/b*c?[d]",
      "名前 🙂",
      "\u0000\n\r",
      "x".repeat(200),
      "__proto__",
    ])("takes the id %j as a name and nothing else", async (id) => {
      const store = await openStore();
      await store.set("mod", id, bytes(7));
      await store.set("mod", "other", bytes(8));
      expect(await store.get("mod", id)).toEqual(bytes(7));
      expect([...(await store.list("mod"))].sort()).toEqual([id, "other"].sort());
      expect(await store.delete("mod", id)).toBe(true);
      expect(await store.list("mod")).toEqual(["other"]);
    });

    test("drops the oldest entries of a kind beyond the count, and counts a used one as new", async () => {
      const store = await openStore({ response: { count: 2, bytes: 1_000 } });
      await store.set("trace", "apart", bytes(0));
      for (const id of ["a", "b"]) {
        await store.set("response", id, bytes(1));
        await nextMoment();
      }
      await store.touch("response", "a");
      await store.touch("response", "nobody");
      await nextMoment();
      await store.set("response", "c", bytes(1));
      expect(await store.list("response")).toEqual(["a", "c"]);
      expect(await store.get("response", "b")).toBeNull();
      expect(await store.list("trace")).toEqual(["apart"]);
    });

    test("drops the oldest entries of a kind beyond the bytes", async () => {
      const store = await openStore({ trace: { count: 100, bytes: 2_000 } });
      for (const id of ["a", "b", "c", "d", "e"]) {
        await store.set("trace", id, new Uint8Array(450).fill(1));
        await nextMoment();
      }
      const ids = await store.list("trace");
      // A folder also counts the bytes of the id.
      expect(ids).toEqual(["b", "c", "d", "e"]);
    });

    test("shows what another store on the same entries wrote", async () => {
      const [one, other] = [await openStore(), await openStore()];
      await one.set("mod", "a", bytes(1));
      expect(await other.get("mod", "a")).toEqual(bytes(1));
      expect(await other.list("mod")).toEqual(["a"]);
      expect(await other.delete("mod", "a")).toBe(true);
      expect(await one.get("mod", "a")).toBeNull();
    });

    test("many entries written at once are all there", async () => {
      const stores = [await openStore(), await openStore()];
      const ids = Array.from({ length: 40 }, (_, place) => `trace-${place}`);
      await Promise.all(
        ids.map((id, place) => (stores[place % 2] as EngineStore).set("trace", id, bytes(place))),
      );
      for (const [place, id] of ids.entries())
        expect(await stores[0]?.get("trace", id)).toEqual(bytes(place));
      expect([...((await stores[1]?.list("trace")) ?? [])].sort()).toEqual([...ids].sort());
    });

    test("traces and responses end after their time, mods do not", async ({ skip }) => {
      if (!under().hasLifetime) return skip("entries in memory end with their program");
      const store = await openStore({}, 40);
      await store.set("trace", "a", bytes(1));
      await store.set("mod", "a", bytes(1));
      await expect.poll(() => store.get("trace", "a")).toBeNull();
      expect(await store.list("trace")).toEqual([]);
      expect(await store.get("mod", "a")).toEqual(bytes(1));
    });
  });
}

/** Tests of two engines with one database: one makes room, perhaps while the other renews the oldest entry. */
export function describeRenewalTests(name: string, connect: () => Promise<KeyvConnection>): void {
  describe(`${name}: the oldest entry, when an engine makes room`, () => {
    const open: KeyvConnection[] = [];
    const openStore = async () => {
      const parts = await connect();
      open.push(parts);
      const limits = { ...storeLimits, response: { count: 2, bytes: 1_000 } };
      return { parts, store: new KeyvStore(parts, { limits, lifetime: hour }) };
    };
    const openBoth = async () => {
      const [one, other] = [await openStore(), await openStore()];
      for (const id of ["a", "b"]) {
        await one.store.set("response", id, bytes(1));
        await nextMoment();
      }
      return [one, other] as const;
    };
    afterEach(async () => {
      // The tests that follow begin with an empty database.
      for (const { values, entries, close } of open.splice(0)) {
        await values.clear();
        await entries.clear();
        await close();
      }
    });

    test("goes if nobody renews it, in whatever order its fields are stored", async () => {
      const [{ parts, store }] = await openBoth();
      const ofAnotherVersion = { bytes: 1, later: true, usedAt: 1 };
      await parts.entries.set("response/a", ofAnotherVersion);
      await store.set("response", "c", bytes(1));
      expect(await store.get("response", "a")).toBeNull();
      expect(await store.list("response")).toEqual(["b", "c"]);
    });

    test("stays if another engine renews it after it was listed", async () => {
      const [one, other] = await openBoth();
      const { entries } = one.parts;
      const getMany = entries.getMany.bind(entries);
      vi.spyOn(entries, "getMany").mockImplementationOnce(async (keys: string[]) => {
        const listed = await getMany(keys);
        await other.store.touch("response", "a");
        return listed;
      });
      await one.store.set("response", "c", bytes(1));
      expect(await other.store.get("response", "a")).toEqual(bytes(1));
      expect(await other.store.list("response")).toContain("a");
    });

    test("stays if it is listed between the two writes of an engine that renews it", async () => {
      const [one, other] = await openBoth();
      for (const space of [other.parts.entries, other.parts.values]) {
        const set = space.set.bind(space);
        vi.spyOn(space, "set").mockImplementationOnce(
          async (key: string, value: unknown, lifetime?: number) => {
            const isSet = await set(key, value, lifetime);
            await one.store.set("response", "c", bytes(1));
            return isSet;
          },
        );
      }
      await other.store.touch("response", "a");
      expect(await other.store.get("response", "a")).toEqual(bytes(1));
      expect(await other.store.list("response")).toContain("a");
    });
  });
}
