import { expectSame, type RunsCheck } from "./testing/checks.ts";

const version = (mod: string, source: string, when: number) => ({ mod, name: mod, source, when });

export const modVersionChecks: Readonly<Record<string, RunsCheck>> = {
  async "versions of a mod are listed newest first, each source once in a row"({ tab }) {
    const { versions } = tab();
    expectSame("none", await versions.list("a"), []);
    await versions.save(version("a", "one", 10));
    await versions.save(version("a", "one", 20));
    await versions.save(version("ab", "other", 25));
    await versions.save(version("a", "two", 30));
    await versions.save(version("a", "one", 40));
    expectSame(
      "the list, in another tab",
      (await tab().versions.list("a")).map(({ source, when }) => [source, when]),
      [
        ["one", 40],
        ["two", 30],
        ["one", 10],
      ],
    );
  },

  async "versions that came at once, or by a clock that was set back, keep their order"({ tab }) {
    const { versions } = tab();
    await Promise.all(["one", "two", "three"].map((source) => versions.save(version("a", source, 10))));
    await versions.save(version("a", "four", 5));
    expectSame(
      "the order",
      (await versions.list("a")).map(({ source }) => source),
      ["four", "three", "two", "one"],
    );
  },

  async "the newest 50 versions are kept"({ tab }) {
    const { versions } = tab();
    for (let count = 1; count <= 55; count += 1) await versions.save(version("a", `${count}`, count));
    const sources = (await versions.list("a")).map(({ source }) => source);
    expectSame("how many", sources.length, 50);
    expectSame("the newest and the oldest", [sources[0], sources.at(-1)], ["55", "6"]);
  },

  async "versions of mods that are gone are removed"({ tab }) {
    const { versions } = tab();
    await versions.save(version("a", "one", 1));
    await versions.save(version("b", "two", 2));
    const day = 24 * 3_600_000;
    await versions.purge(new Set(["b"]), day);
    await versions.purge(new Set(["b"]), 20 * day);
    expectSame("while the mod can be restored", (await versions.list("a")).length, 1);
    await versions.purge(new Set(["a", "b"]), 21 * day);
    await versions.purge(new Set(["b"]), 40 * day);
    expectSame("after it was back in between", (await versions.list("a")).length, 1);
    await versions.purge(new Set(["b"]), 71 * day);
    expectSame("those of the mod that is gone", await versions.list("a"), []);
    expectSame("the others", (await versions.list("b")).length, 1);
  },

  async "a deleted mod is listed until it is restored or deleted for good"({ tab }) {
    const { versions } = tab();
    await versions.save(version("a", "ran", 10));
    await versions.save(version("b", "ran", 20));
    await versions.save(version("c", "ran", 30));
    await versions.saveDeleted({ ...version("b", "ran", 40), name: "renamed", entry: "story" });
    await versions.saveDeleted({ ...version("a", "edited", 50), needs: "instruct" });
    const listed = async (here: readonly string[]) =>
      (await tab().versions.deleted(new Set(here))).map(({ mod, source }) => `${mod} ${source}`);
    expectSame("the latest deletion first", await listed(["c"]), ["a edited", "b ran"]);
    const [newest] = await versions.deleted(new Set(["b", "c"]));
    expectSame("what the mod needs", newest?.needs, "instruct");
    expectSame("after a is back", await listed(["a", "c"]), ["b ran"]);
    const [renamed] = await versions.deleted(new Set(["a", "c"]));
    expectSame("its latest name and export", [renamed?.name, renamed?.entry], ["renamed", "story"]);
    await versions.forget("b");
    expectSame("after b is deleted for good", await listed(["a", "c"]), []);
    expectSame("the versions of b", await versions.list("b"), []);
    expectSame("the versions of a", (await versions.list("a")).length, 2);
  },
};
