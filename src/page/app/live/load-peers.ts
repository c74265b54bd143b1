/** Loads the connections to other machines, if a signalling server is configured. */
import { importPart } from "../../../core/base/import-part.ts";

export const loadPeerTransport = async () =>
  (
    await importPart(
      "The code that connects to other machines",
      () => import("../../live/peers.ts"),
      "createPeerTransport",
    )
  ).createPeerTransport;
