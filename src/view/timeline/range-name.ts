/** Names a range of tokens, counted from 1. */
import type { TokenRange } from "../../core/trace/model/selection.ts";
import { formatCount } from "../ui/format.ts";

export function rangeName({ first, end }: TokenRange): string {
  if (end - first === 1) return `Token ${formatCount(end)}`;
  return `Tokens ${formatCount(first + 1)} to ${formatCount(end)}`;
}
