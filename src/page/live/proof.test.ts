/** Nobody but the page that made the link passes for the sharer, and nobody without the link for a watcher. */
import { describe, expect, test } from "vitest";
import {
  createSharerKey,
  createWatcherProof,
  newNonce,
  type SharerProof,
  verifySharerProof,
} from "./proof.ts";

const key = createSharerKey();
const other = createSharerKey();
const subject = { room: key.room, binding: '["AA","BB"]', nonce: newNonce() };
const proof = key.prove(subject);

test("the sharer's proof holds for the connection and the random number that it was made for", () => {
  expect(key.room).toMatch(/^[0-9a-f]{32}$/);
  expect(newNonce()).toMatch(/^[0-9a-f]{32}$/);
  expect(verifySharerProof(proof, subject)).toBe(true);
});

describe("refused", () => {
  test.each<[string, SharerProof, Partial<typeof subject>]>([
    ["another key for the same room", other.prove(subject), {}],
    [
      "the sharer's key with another's signature",
      { ...proof, signature: other.prove(subject).signature },
      {},
    ],
    ["a proof for another watcher", proof, { nonce: newNonce() }],
    ["a proof that somebody in between passes on", proof, { binding: '["AA","CC"]' }],
    ["a proof for another room", proof, { room: other.room }],
    ["a signature that is cut off", { ...proof, signature: proof.signature.slice(2) }, {}],
    ["no signature", { ...proof, signature: "" }, {}],
    ["a signature of zeros", { ...proof, signature: "0".repeat(128) }, {}],
    ["a signature of other letters", { ...proof, signature: "g".repeat(128) }, {}],
    ["a key of zeros", { ...proof, key: "0".repeat(64) }, {}],
    ["a key that is too long", { ...proof, key: `${proof.key}00` }, {}],
    ["a key in capitals", { ...proof, key: proof.key.toUpperCase() }, {}],
  ])("%s", (_, given, changed) => {
    expect(verifySharerProof(given, { ...subject, ...changed })).toBe(false);
  });
});

test("a watcher's proof differs for each room, connection and random number, and is not the sharer's text", () => {
  const proofs = [
    createWatcherProof(subject),
    createWatcherProof({ ...subject, room: other.room }),
    createWatcherProof({ ...subject, binding: "x" }),
    createWatcherProof({ ...subject, nonce: newNonce() }),
  ];
  expect(new Set(proofs).size).toBe(4);
  expect(proofs[0]).toMatch(/^[0-9a-f]{64}$/);
});
