/** Loads the connections to other machines, if a signalling server is configured. */
import { importProgramPart } from "../../../core/base/import-part.ts";

export const loadPeerTransport = async () =>
  (
    await importProgramPart(
      "The code for connections to other machines",
      () => import("../../live/peers.ts"),
      "createPeerTransport",
    )
  ).createPeerTransport;
