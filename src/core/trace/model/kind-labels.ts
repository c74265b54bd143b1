/** The label of each kind of token, the same in every view. */
import type { TokenKind } from "./token-table.ts";

export const kindLabels: Readonly<Record<TokenKind, string>> = {
  sampled: "chosen",
  adjusted: "adjusted",
  forced: "forced",
  reinjected: "replacement",
  moved: "answering a question",
  end: "end",
};
