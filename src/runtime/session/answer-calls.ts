/** For the page: what else an answer says that calls tools. Apart from the client, since few answers do. */
export { textBesideCalls } from "../../core/tools/formats.ts";
