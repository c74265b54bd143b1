import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ArchivePiece,
  distributePiecesOverCalls,
  manifestText,
  maxCallBytes,
  maxPackedBytes,
  mebibyte,
  packedBytesPerCall,
} from "./calls.ts";

function piecesOf(sizes: readonly number[]): ArchivePiece[] {
  return sizes.map((bytes, i) => ({ group: "node", name: `node.${i}`, bytes, sha256: "" }));
}

test("a call holds the tree and at most 46 MiB of packed files, 64 MiB in all", () => {
  expect(packedBytesPerCall(0)).toBe(maxPackedBytes);
  expect(packedBytesPerCall(16 * mebibyte)).toBe(46 * mebibyte);
  expect(packedBytesPerCall(40 * mebibyte)).toBe(22 * mebibyte);
  expect(() => packedBytesPerCall(60 * mebibyte)).toThrow(
    /working tree has 60\.0 MiB, and a call carries 64\.0 MiB/,
  );
});

test("every piece travels once, in order, and no call is larger than its room", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: mebibyte }), { maxLength: 200 });
  const trees = fc.integer({ min: 0, max: 54 * mebibyte });
  fc.assert(
    fc.property(sizes, trees, (bytes, tree) => {
      const room = packedBytesPerCall(tree);
      const pieces = piecesOf(bytes);
      const calls = distributePiecesOverCalls(pieces, room);
      expect(calls.flat()).toEqual(pieces);
      for (const call of calls) {
        const sum = call.reduce((total, piece) => total + piece.bytes, 0);
        expect(call.length).toBeGreaterThan(0);
        expect(sum).toBeLessThanOrEqual(room);
        expect(sum + tree).toBeLessThanOrEqual(maxCallBytes);
      }
    }),
  );
});

test("no call could take the first piece of the next", () => {
  const calls = distributePiecesOverCalls(piecesOf([5, 4, 3, 9, 1]), 10);
  expect(calls.map((call) => call.map(({ bytes }) => bytes))).toEqual([[5, 4], [3], [9, 1]]);
});

test("a piece that fits no call is refused by name", () => {
  expect(() => distributePiecesOverCalls(piecesOf([11]), 10)).toThrow(
    "node.0 has 11 bytes, and a call has room for 10.",
  );
});

test("the manifest has a line for each piece, for bash to read", () => {
  const piece = { group: "app", name: "app.000", bytes: 7, sha256: "ab" };
  expect(manifestText([piece, { ...piece, name: "app.001" }])).toBe("app app.000 ab 7\napp app.001 ab 7\n");
});
