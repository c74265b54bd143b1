/** The name of each kind of token wherever a person reads it: one word for one thing. */
import type { TokenKind } from "./token-table.ts";

export const kindLabels: Readonly<Record<TokenKind, string>> = {
  sampled: "sampled",
  adjusted: "adjusted",
  forced: "forced",
  reinjected: "replacement",
  moved: "moved in",
  end: "end",
};
