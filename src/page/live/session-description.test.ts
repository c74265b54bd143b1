/** The session descriptions that may reach the browser's WebRTC. */
import { describe, expect, test } from "vitest";
import { readCertificateFingerprint, sessionDescriptionLimits } from "./session-description.ts";

const digits = Array.from({ length: 32 }, (_, index) => (index + 16).toString(16).toUpperCase()).join(":");
const candidate = "a=candidate:1 1 udp 2122260223 192.168.1.5 50000 typ host generation 0";
/** As Chromium writes it, shortened. */
const lines = [
  "v=0",
  "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  "a=group:BUNDLE 0",
  "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
  "c=IN IP4 0.0.0.0",
  candidate,
  "a=ice-ufrag:abcd",
  "a=ice-pwd:0123456789012345678901",
  `a=fingerprint:sha-256 ${digits}`,
  "a=setup:actpass",
  "a=mid:0",
  "a=sctp-port:5000",
];
const text = (more: readonly string[] = []) => [...lines, ...more, ""].join("\r\n");
const without = (part: string) => `${lines.filter((line) => !line.startsWith(part)).join("\r\n")}\r\n`;

test("an ordinary description gives its fingerprint, in capitals, wherever it stands", () => {
  expect(readCertificateFingerprint(text())).toBe(digits);
  expect(readCertificateFingerprint(text().toLowerCase())).toBe(digits);
  expect(readCertificateFingerprint(text([`a=fingerprint:sha-256 ${digits}`]))).toBe(digits);
});

describe("refused", () => {
  test.each<[string, unknown, string]>([
    ["no text", 7, "not text"],
    ["nothing", null, "not text"],
    ["an empty text", "", "only a data channel"],
    ["too long", text(["x".repeat(sessionDescriptionLimits.characters)]), "too long"],
    ["2,000 candidates", text(Array(2_000).fill(candidate)), "too long"],
    ["41 candidates", text(Array(40).fill("a=candidate:1")), "more than 40 addresses"],
    ["too many lines", text(Array(sessionDescriptionLimits.lines).fill("a=x")), "too many lines"],
    ["sound beside it", text(["m=audio 9 UDP/TLS/RTP/SAVPF 111"]), "only a data channel"],
    ["two data channels' parts", text([lines[5] as string]), "only a data channel"],
    ["video alone", text().replace("m=application", "m=video"), "only a data channel"],
    ["no fingerprint", without("a=fingerprint"), "one SHA-256 fingerprint"],
    ["two fingerprints", text([`a=fingerprint:sha-256 ${digits.replace("10", "11")}`]), "one SHA-256"],
    ["a weak fingerprint", text().replace("sha-256", "sha-1"), "one SHA-256"],
    ["a fingerprint that is cut off", text().replace(`:${digits.slice(-2)}`, ""), "one SHA-256"],
  ])("%s", (_, description, words) => {
    expect(() => readCertificateFingerprint(description)).toThrow(words);
  });
});
