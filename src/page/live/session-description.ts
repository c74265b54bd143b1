/**
 * Checks a WebRTC session description from the other end before the browser gets it: only data channels, and a bounded number of
 * addresses, because the browser tries to reach every address.
 */
import { LiveError } from "./limits.ts";

export const sessionDescriptionLimits = {
  characters: 16_384,
  lines: 200,
  /** Addresses of the other end. A machine with many networks and relays has about twenty. */
  candidates: 40,
} as const;

/** @returns the fingerprint of the other end's certificate @throws LiveError for anything else */
export function readCertificateFingerprint(description: unknown): string {
  if (typeof description !== "string" || description.length > sessionDescriptionLimits.characters)
    throw unusable("is not text, or is too long");
  const lines = description.split("\n", sessionDescriptionLimits.lines + 1).map((line) => line.trimEnd());
  if (lines.length > sessionDescriptionLimits.lines) throw unusable("has too many lines");
  const media = lines.filter((line) => line.startsWith("m="));
  if (media.length !== 1 || !/^m=application .*\bwebrtc-datachannel$/.test(media[0] ?? ""))
    throw unusable("should describe only a data channel");
  if (lines.filter((line) => line.startsWith("a=candidate")).length > sessionDescriptionLimits.candidates)
    throw unusable(`has more than ${sessionDescriptionLimits.candidates} addresses`);
  const fingerprints = new Set(lines.filter((line) => line.startsWith("a=fingerprint")));
  const [fingerprint = ""] = fingerprints;
  const [, digits] = /^a=fingerprint:sha-256 ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})$/i.exec(fingerprint) ?? [];
  if (fingerprints.size !== 1 || digits === undefined) throw unusable("should have one SHA-256 fingerprint");
  return digits.toUpperCase();
}

const unusable = (why: string) => new LiveError(`The connection data from the other machine ${why}.`);
