import { describe, expect, test } from "vitest";
import { fragmentKind } from "../../core/trace/file/fragment-kind.ts";
import { isWatchLink } from "./is-watch-link.ts";
import { createSharerKey } from "./proof.ts";
import { parseSignallingConfig } from "./signalling.ts";
import { readWatchedRoom, watchFragment } from "./watch-link.ts";

describe("the link to a live run", () => {
  test("leads to its room, with or without its #, and is no link to a recorded run", () => {
    const { room } = createSharerKey();
    expect(room).toMatch(/^[0-9a-f]{32}$/);
    expect(createSharerKey().room).not.toBe(room);
    const link = watchFragment(room);
    expect([readWatchedRoom(link), readWatchedRoom(link.slice(1))]).toEqual([room, room]);
    expect([isWatchLink(link), fragmentKind(link)]).toEqual([true, null]);
  });

  test.each([
    ["#w1.", "incomplete or damaged"],
    [watchFragment("f".repeat(32)).slice(0, -1), "incomplete or damaged"],
    ["#w1.<img src=x onerror=alert(1)>z", "incomplete or damaged"],
    ["#w1.ABCDEF0123456789abcdef0123456789z", "incomplete or damaged"],
    ["#w2.anything", "newer version of Midtoken"],
  ])("%s is refused", (link, words) => {
    expect(isWatchLink(link)).toBe(true);
    expect(() => readWatchedRoom(link)).toThrow(words);
  });

  test.each(["", "#", "#t1.AAAz", "#s1.AAAz", "#w", "#watch", "#x#w1.a"])("%s is none", (other) => {
    expect(isWatchLink(other)).toBe(false);
  });
});

describe("live.json", () => {
  const page = "https://example.org/some/page/";
  test.each([
    [{ signalling: null }, null],
    [{ signalling: "live" }, { url: "wss://example.org/some/page/live", iceServers: [] }],
    [{ signalling: "wss://other.example/x" }, { url: "wss://other.example/x", iceServers: [] }],
    [
      {
        signalling: "/live",
        iceServers: [
          { urls: "stun:a.example" },
          { urls: ["turn:b.example"], username: "u", credential: "c" },
        ],
      },
      {
        url: "wss://example.org/live",
        iceServers: [
          { urls: ["stun:a.example"] },
          { urls: ["turn:b.example"], username: "u", credential: "c" },
        ],
      },
    ],
  ])("%j", (json, expected) => {
    expect(parseSignallingConfig(json, page)).toEqual(expected);
  });

  test("on a page without TLS a relative address is without it too", () => {
    expect(parseSignallingConfig({ signalling: "live" }, "http://127.0.0.1:4173/")?.url).toBe(
      "ws://127.0.0.1:4173/live",
    );
  });

  test.each([
    [[], "the file should be a JSON object"],
    [{}, "an address or null"],
    [{ signalling: 7 }, "an address or null"],
    [{ signalling: "https://example.org" }, "begins with wss:"],
    [{ signalling: "javascript:alert(1)" }, "begins with wss:"],
    [{ signalling: "live", iceServers: {} }, "should be a list"],
    [{ signalling: "live", iceServers: [{ urls: "https://example.org" }] }, "stun: or turn:"],
    [{ signalling: "live", iceServers: [null] }, "stun: or turn:"],
  ])("%j is refused", (json, words) => {
    expect(() => parseSignallingConfig(json, page)).toThrow(words);
  });
});
