/** Checks of the saved versions of mods. */
import { connectToRunsDatabase } from "./connection.ts";
import { migrations } from "./schema.ts";
import { expectSame, type RunsCheck } from "./testing/checks.ts";
import { sampleRun } from "./testing/some-runs.ts";

const version = (mod: string, source: string, when: number) => ({ mod, name: mod, source, when });

export const modVersionChecks: Readonly<Record<string, RunsCheck>> = {
  async "versions of a mod are listed newest first, each source once in a row"({ tab }) {
    const { versions } = tab();
    expectSame("none", await versions.list("a"), []);
    await versions.keep(version("a", "one", 10));
    await versions.keep(version("a", "one", 20));
    await versions.keep(version("ab", "other", 25));
    await versions.keep(version("a", "two", 30));
    await versions.keep(version("a", "one", 40));
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
    await Promise.all(["one", "two", "three"].map((source) => versions.keep(version("a", source, 10))));
    await versions.keep(version("a", "four", 5));
    expectSame(
      "the order",
      (await versions.list("a")).map(({ source }) => source),
      ["four", "three", "two", "one"],
    );
  },

  async "the newest 50 versions are kept"({ tab }) {
    const { versions } = tab();
    for (let count = 1; count <= 55; count += 1) await versions.keep(version("a", `${count}`, count));
    const sources = (await versions.list("a")).map(({ source }) => source);
    expectSame("how many", sources.length, 50);
    expectSame("the newest and the oldest", [sources[0], sources.at(-1)], ["55", "6"]);
  },

  async "versions of mods that are gone are removed"({ tab }) {
    const { versions } = tab();
    await versions.keep(version("a", "one", 1));
    await versions.keep(version("b", "two", 2));
    const minute = 60_000;
    await versions.purge(new Set(["b"]), minute);
    await versions.purge(new Set(["b"]), 6 * minute);
    expectSame("while another tab may bring the mod back", (await versions.list("a")).length, 1);
    await versions.purge(new Set(["a", "b"]), 7 * minute);
    await versions.purge(new Set(["b"]), 12 * minute);
    expectSame("after it was back in between", (await versions.list("a")).length, 1);
    await versions.purge(new Set(["b"]), 23 * minute);
    expectSame("those of the mod that is gone", await versions.list("a"), []);
    expectSame("the others", (await versions.list("b")).length, 1);
  },

  async "a database without versions gets them, and loses nothing"({ name, tab }) {
    const ignore = { onOutdated() {}, onBlocked() {} };
    const old = connectToRunsDatabase({ name, ...ignore, steps: migrations.slice(0, 3) });
    const { facts } = sampleRun({ id: "a" });
    await (await old.database()).put("facts", facts, "a");
    old.close();
    const runs = tab();
    expectSame("the run", await runs.facts(["a"]), [facts]);
    await runs.versions.keep(version("m", "one", 1));
    expectSame("versions", (await runs.versions.list("m")).length, 1);
  },
};
