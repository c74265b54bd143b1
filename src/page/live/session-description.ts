/**
 * Checks a WebRTC session description from the other side before the browser sees it: an ordinary description of data channels
 * alone, with a bounded number of addresses. Every address in it makes the browser try a way through the network.
 */
import { LiveError } from "./limits.ts";

export const descriptionLimits = {
  characters: 16_384,
  lines: 200,
  /** Addresses at which the other end may be reached. A machine with many networks and relays has some twenty. */
  candidates: 40,
} as const;

/**
 * @returns the fingerprint of the certificate with which the other end encrypts.
 * @throws LiveError for anything else.
 */
export function checkDescription(description: unknown): string {
  if (typeof description !== "string" || description.length > descriptionLimits.characters)
    throw unusable("is not text, or is too long");
  const lines = description.split("\n", descriptionLimits.lines + 1).map((line) => line.trimEnd());
  if (lines.length > descriptionLimits.lines) throw unusable("has too many lines");
  const media = lines.filter((line) => line.startsWith("m="));
  if (media.length !== 1 || !/^m=application .*\bwebrtc-datachannel$/.test(media[0] ?? ""))
    throw unusable("should be about data channels alone");
  if (lines.filter((line) => line.startsWith("a=candidate")).length > descriptionLimits.candidates)
    throw unusable(`has more than ${descriptionLimits.candidates} addresses`);
  const fingerprints = new Set(lines.filter((line) => line.startsWith("a=fingerprint")));
  const [fingerprint = ""] = fingerprints;
  const [, digits] = /^a=fingerprint:sha-256 ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})$/i.exec(fingerprint) ?? [];
  if (fingerprints.size !== 1 || digits === undefined) throw unusable("should have one SHA-256 fingerprint");
  return digits.toUpperCase();
}

const unusable = (why: string) => new LiveError(`The other end's description of its connection ${why}.`);
