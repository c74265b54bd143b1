/** What else an answer says that calls tools. */
export { textBesideCalls } from "../../core/tools/formats.ts";
