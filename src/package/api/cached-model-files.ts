/** Files of models that the browser keeps. Apart from what keeps them, since the service worker reads them alone. */
export { openCachedFile } from "../../runtime/session/page-side/cached-model-files.ts";
