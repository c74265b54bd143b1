import type { PageStores } from "../store/stores.ts";

export function LinkView(_: { page: PageStores; hash: string }) {
  return null;
}
