/** Re-exports how text beside tool calls is read, because the page may import only from `src/package/api`. */
export { textBesideCalls } from "../../core/tools/formats.ts";
