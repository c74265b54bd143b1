/** The form for a picture of the run that also contains its record. */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { encodingTraceFile } from "../../../core/trace/codec/codec.ts";
import { pngWithTrace } from "../../../core/trace/file/export-formats/png.ts";
import { outputTextOf } from "../../../core/trace/model/output-text.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { paintShareCard, shareCardFonts } from "../../../view/timeline/card/paint-card.ts";
import { paletteAt } from "../../../view/timeline/palette.ts";
import { Button } from "../../../view/ui/button.tsx";
import { formatBytes } from "../../../view/ui/format.ts";
import { saveFile } from "./save-file.ts";
import { ShareActions, ShareSize } from "./share-actions.tsx";
import { fileNameOf, type RunToShare } from "./shared.ts";
import { useStepsResult } from "./use-made.ts";

export function SharePicture({ shared }: { shared: RunToShare }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const file = useStepsResult(useCallback(() => encodingTraceFile(shared.trace, shared.notes), [shared]));
  const [drawn, setDrawn] = useState<Uint8Array | Error | null>(null);
  useEffect(() => {
    let isGone = false;
    const draw = async () => {
      const place = canvas.current;
      if (!place) return;
      // If a font cannot be fetched, the browser's own font is used.
      await Promise.allSettled(shareCardFonts.map((font) => document.fonts.load(font)));
      paintShareCard(place, shared.model, paletteAt(document.body));
      const png = await bytesOf(place);
      if (!isGone) setDrawn(png);
    };
    draw().catch((cause: unknown) => {
      if (!isGone) setDrawn(cause instanceof Error ? cause : new Error(String(cause)));
    });
    return () => {
      isGone = true;
    };
  }, [shared]);
  const picture = useMemo(() => (file instanceof Error ? file : withRun(drawn, file)), [drawn, file]);
  return (
    <>
      <p className="share-lead">
        A picture of the text with its marks, for a post or a slide. The picture contains the run: drop the
        picture on Midtoken’s page to open the run.
      </p>
      <canvas
        ref={canvas}
        className="share-picture"
        role="img"
        aria-label={`Picture of the run: ${showInvisibleCharacters(outputTextOf(shared.model), 200)}`}
      />
      <ShareSize made={picture}>
        {picture instanceof Uint8Array && `${formatBytes(picture.length)}.`}
      </ShareSize>
      <p className="share-note">
        Chats and sites that shrink pictures remove the run. If someone opens such a picture, Midtoken says
        that the run is missing. Send the picture as a file, or share a link as well.
      </p>
      <ShareActions>
        <Button
          weight="primary"
          icon="download"
          disabled={!(picture instanceof Uint8Array)}
          onClick={() =>
            picture instanceof Uint8Array && saveFile(`${fileNameOf(shared.trace)}.png`, picture)
          }
        >
          Save the picture
        </Button>
      </ShareActions>
    </>
  );
}

async function bytesOf(canvas: HTMLCanvasElement): Promise<Uint8Array> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob)
    throw new Error(
      "This browser cannot save the picture as PNG: use another browser, or share the run another way.",
    );
  return new Uint8Array(await blob.arrayBuffer());
}

function withRun(
  drawn: Uint8Array | Error | null,
  file: Uint8Array | null,
): Uint8Array<ArrayBuffer> | Error | null {
  if (drawn instanceof Error) return drawn;
  return drawn && file && pngWithTrace(drawn, file);
}
