/** The compiler's worker in the npm package. */
import "../../runtime/sandbox/compile-worker.ts";

// It has said that it is ready, which told the page that its file could be had; once more, for the compiler that waits for it.
postMessage({ type: "ready" });
