/** Answers `GET /health` and `GET /health/live`, for monitors and load balancers. They need no key and name no model. */
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";

export type ServerState = "loading" | "ready" | "stopping";

/** Null for any other request. */
export function healthResponse(
  request: Request,
  engine: MidtokenEngine,
  state: ServerState,
): Response | null {
  const { pathname } = new URL(request.url);
  if (pathname !== "/health" && pathname !== "/health/live") return null;
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  // The server is alive if it answers at all, and ready if it accepts requests.
  const isOk = pathname === "/health/live" || state === "ready";
  const init = { status: isOk ? 200 : 503, headers: { "cache-control": "no-store" } };
  return request.method === "HEAD" ? new Response(null, init) : Response.json(healthOf(engine, state), init);
}

function healthOf({ models, requests }: MidtokenEngine, state: ServerState) {
  const all = models.list();
  const loaded = all.filter((model) => model.loaded !== null).length;
  const statuses = requests.list().map(({ status }) => status);
  return {
    status: state === "ready" ? "ok" : state,
    alive: true,
    ready: state === "ready",
    models: { loaded, loading: all.length - loaded },
    requests: {
      running: statuses.filter((status) => status === "running").length,
      waiting: statuses.filter((status) => status === "waiting").length,
    },
  };
}
