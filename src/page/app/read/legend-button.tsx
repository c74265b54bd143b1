/** Opens the legend of the marks, beside the text that has them. */
import { Icon } from "../../../view/ui/icon.tsx";
import { Popover } from "../../../view/ui/popover.tsx";
import { LinkLegend } from "../share/link-legend.tsx";
import { useStores } from "../store/stores.ts";
import "./legend-button.css";

export function LegendButton() {
  const { run } = useStores();
  return (
    <Popover
      label="How words are marked"
      className="legend-button"
      trigger={
        <>
          Legend <Icon name="down" />
        </>
      }
    >
      {() => <LinkLegend run={run} className="legend-list" />}
    </Popover>
  );
}
