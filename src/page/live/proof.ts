/**
 * How the two ends of a live run prove who they are.
 *
 * The sharer makes an Ed25519 key for each share. The room, which is part of the link, is the beginning of the SHA-256 of the
 * public key. A watcher proves that it has the link; the sharer then signs the watcher's random number. Both proofs include the
 * binding of the connection, so that a third party between the two cannot use them on another connection.
 * @noble/curves computes the signatures, because pages over plain http have no `crypto.subtle`.
 */
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "../../core/base/sha256.ts";

/** The data that the proofs of one watcher sign. */
export interface ProofSubject {
  readonly room: string;
  /** A text that only the two ends of this connection share: see `Connection.binding`. */
  readonly binding: string;
  /** A random number that the watcher made for this connection. */
  readonly nonce: string;
}

/** The sharer's proof to a watcher, in hexadecimal digits. */
export interface SharerProof {
  readonly key: string;
  readonly signature: string;
}

export interface SharerKey {
  readonly room: string;
  prove(subject: Omit<ProofSubject, "room">): SharerProof;
}

const roomDigits = 32;

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @returns null unless the text has exactly this many bytes in lower-case hexadecimal digits */
function bytesOf(text: unknown, length: number): Uint8Array | null {
  if (typeof text !== "string" || text.length !== 2 * length || !/^[0-9a-f]*$/.test(text)) return null;
  return Uint8Array.from({ length }, (_, index) => Number.parseInt(text.slice(2 * index, 2 * index + 2), 16));
}

const roomOfKey = (publicKey: Uint8Array): string => sha256(publicKey).slice(0, roomDigits);

const subjectText = (purpose: string, { room, binding, nonce }: ProofSubject): string =>
  JSON.stringify([`midtoken live ${purpose}`, room, binding, nonce]);

const signedBytes = (subject: ProofSubject): Uint8Array =>
  new TextEncoder().encode(subjectText("sharer", subject));

export function createSharerKey(): SharerKey {
  const { secretKey, publicKey } = ed25519.keygen();
  const room = roomOfKey(publicKey);
  const key = hex(publicKey);
  return {
    room,
    prove: (subject) => ({
      key,
      signature: hex(ed25519.sign(signedBytes({ ...subject, room }), secretKey)),
    }),
  };
}

/** Whether the page that made the link wrote this proof, for this connection and this watcher. */
export function verifySharerProof({ key, signature }: SharerProof, subject: ProofSubject): boolean {
  const keyBytes = bytesOf(key, 32);
  const signatureBytes = bytesOf(signature, 64);
  if (!keyBytes || !signatureBytes || roomOfKey(keyBytes) !== subject.room) return false;
  try {
    return ed25519.verify(signatureBytes, signedBytes(subject), keyBytes, { zip215: false });
  } catch {
    return false;
  }
}

/** The watcher's proof that it has the link. The proof does not contain the room. */
export const createWatcherProof = (subject: ProofSubject): string => sha256(subjectText("watcher", subject));

export function newNonce(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}
