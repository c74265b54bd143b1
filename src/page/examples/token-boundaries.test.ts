/** The gallery's phrase mods work however the tokens fall: a phrase may begin and end inside of a token. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { addedText, Output } from "../../core/decoder/loop/output.ts";
import { UnsentOutputChanges } from "../../core/decoder/ports/output-changes.ts";
import type { Action } from "../../core/sdk/action.ts";
import { createModRunner } from "../../core/sdk/runner.ts";
import type { Tokenizer } from "../../core/sdk/tokenizer.ts";
import replacePhrase from "./replace-phrase.ts";

/** Tokens are whatever pieces a text was cut into, numbered as they come. */
function pieceTokenizer(): Tokenizer & { tokensOf(pieces: readonly string[]): number[] } {
  const pieces: string[] = [];
  const tokensOf = (more: readonly string[]) => more.map((piece) => pieces.push(piece) - 1);
  const text = (token: number) => pieces[token] ?? "";
  return {
    vocabSize: 100_000,
    eosTokenIds: [],
    tokensOf,
    encode: (whole) => tokensOf(Array.from(whole)),
    decode: (tokens) => tokens.map(text).join(""),
    tokenText: text,
    tokenBytes: (token) => new TextEncoder().encode(text(token)),
  };
}

/** A text cut at random places. */
const cut = (whole: string) =>
  fc
    .subarray(Array.from({ length: whole.length - 1 }, (_, index) => index + 1))
    .map((places) => [0, ...places].map((place, index) => whole.slice(place, places[index])));

let requests = 0;
const newRequest = () => ({ requestId: `r${requests++}`, step: 0 });

test("replace-phrase takes back no more tokens than the phrase touches", async () => {
  await fc.assert(
    fc.asyncProperty(cut("she saw a big, red ball. Then"), async (pieces) => {
      const tokenizer = pieceTokenizer();
      const base = newRequest();
      const runner = createModRunner({ default: replacePhrase }, { tokenizer });
      const output = new Output([0], tokenizer);
      const changes = new UnsentOutputChanges();
      const now = () => ({
        ...base,
        step: output.length,
        hidden: false,
        output: changes.next(output.emitted),
      });
      const added = (
        tokens: readonly number[],
        source: "sampled" | "reinjected",
      ): Promise<{ action: Action }> => {
        const text = addedText(output.append(tokens, source));
        return runner.handle({ ...now(), type: "added", tokens, text, source, mod: null, isEos: false });
      };
      for (const token of tokenizer.tokensOf(pieces)) {
        const { action } = await added([token], "sampled");
        if (action.type !== "backtrack") continue;
        const group = output.remove(action.count);
        const removed = group.map(({ token }) => token);
        expect(tokenizer.decode(removed)).toContain(" big, red ball");
        expect(tokenizer.decode(removed.slice(1))).not.toContain(" big, red ball");
        await runner.handle({ ...now(), type: "backtracked", removed, text: addedText(group), mod: "m" });
        await added(action.tokens ?? [], "reinjected");
      }
      expect(tokenizer.decode(output.tokens)).toBe("she saw a tiny, green frog. Then");
    }),
  );
});
