/** For the page: how long a mod's source may be. */
export { largestSource } from "../../sandbox/compiled-mod.ts";
