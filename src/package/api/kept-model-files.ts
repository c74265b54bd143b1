/** Files of models that the browser keeps. Apart from what keeps them, since the service worker reads them alone. */
export { openKeptFile } from "../../runtime/session/page-side/kept-model-files.ts";
