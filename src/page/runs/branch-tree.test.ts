/** The tree of a family, whatever its records say. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { branchTree, withBranches } from "./branch-tree.ts";
import type { RunMetadata } from "./run-metadata.ts";
import { runWith } from "./testing/some-runs.ts";

/** `a`, or `b off a at 3`: the request of run x is `req x`. */
function runOf(text: string, when: number): RunMetadata {
  const [id = "", , other, , index = 0] = text.split(" ");
  const branch = other
    ? { requestId: `req ${other}`, index: Number(index), isChosen: true, words: "" }
    : null;
  return runWith(id, {}, { when, requestId: `req ${id}`, branch, from: null }).metadata;
}

const drawn = (family: readonly RunMetadata[]) =>
  branchTree(family).map(({ run, depth, below, position, siblings }) =>
    [`${"  ".repeat(depth)}${run?.id ?? "lost"}`, below, `${position}/${siblings}`].join(" "),
  );

test.each([
  ["a run alone", ["a"], ["a 0 1/1"]],
  [
    "branches in the order of their tokens, each with its own below it",
    ["c off b at 9", "b off a at 7", "a", "e off a at 3", "d off b at 2"],
    ["a 4 1/1", "  e 0 1/2", "  b 2 2/2", "    d 0 1/2", "    c 0 2/2"],
  ],
  [
    "branches at one token, the older first",
    ["b off a at 1", "a", "c off a at 1"],
    ["a 2 1/1", "  b 0 1/2", "  c 0 2/2"],
  ],
  [
    "a run that is no longer kept",
    ["b off a at 1", "c off a at 2"],
    ["lost 2 1/1", "  b 0 1/2", "  c 0 2/2"],
  ],
  ["a run that branches off itself", ["a off a at 1"], ["a 0 1/1"]],
  ["runs that lead round in a circle", ["a off b at 1", "b off a at 1"], ["b 1 1/1", "  a 0 1/1"]],
])("%s", (_name, runs, lines) => expect(drawn(runs.map(runOf))).toEqual(lines));

test("the run it came from is known by its id in this browser, else by its request", () => {
  const copies = [runOf("a", 1), { ...runOf("x", 2), requestId: "req a" }];
  const branch = runOf("b off a at 1", 3);
  expect(drawn([...copies, { ...branch, from: "x" }])).toEqual(["a 0 1/2", "x 1 2/2", "  b 0 1/1"]);
  expect(drawn([...copies, { ...branch, from: "deleted" }])).toEqual(["a 1 1/2", "  b 0 1/1", "x 0 2/2"]);
});

test("a branch with all below it", () => {
  const members = branchTree(["a", "b off a at 1", "c off b at 1", "d off a at 2"].map(runOf));
  expect(withBranches(members, 1).map(({ id }) => id)).toEqual(["b", "c"]);
  expect(withBranches(members, 0)).toHaveLength(4);
  expect(withBranches(branchTree([runOf("b off gone at 1", 1)]), 0).map(({ id }) => id)).toEqual(["b"]);
});

test("whatever the records say, every run stands once, below the one that it hangs on", () => {
  const name = fc.constantFrom(..."abcdefgh");
  const family = fc
    .uniqueArray(fc.tuple(name, name, fc.nat(3), fc.boolean()), { selector: ([id]) => id })
    .map((all) =>
      all.map(([id, other, at, isRoot], when) => runOf(isRoot ? id : `${id} off ${other} at ${at}`, when)),
    );
  fc.assert(
    fc.property(family, (runs) => {
      const members = branchTree(runs);
      expect(members.flatMap(({ run }) => run?.id ?? []).toSorted()).toEqual(
        runs.map(({ id }) => id).toSorted(),
      );
      members.forEach(({ parent, depth, below }, place) => {
        const above = parent === null ? undefined : members[parent];
        expect(depth).toBe(above ? above.depth + 1 : 0);
        expect(above === undefined || (parent ?? 0) < place).toBe(true);
        const children = members.filter((each) => each.parent === place);
        expect(below).toBe(children.reduce((sum, child) => sum + child.below + 1, 0));
      });
    }),
  );
});

test("a branch of a branch of thousands", () => {
  const chain = Array.from({ length: 3_000 }, (_, at) =>
    runOf(at === 0 ? "0" : `${at} off ${at - 1} at 1`, at),
  );
  expect(branchTree(chain).at(-1)).toMatchObject({ depth: 2_999, below: 0 });
});
