import { setAttributes } from "./attributes.ts";
import { SHARED, sourceKey } from "./keys.ts";
import type { OperatorPause } from "./shared-state.ts";
import type { Table } from "./table-client.ts";

/** Pauses a source, or lets it go on: its ticks and catch-ups look at this before they ask the service for anything. */
export async function setOperatorPause(table: Table, source: string, pause: OperatorPause | null): Promise<void> {
  await setAttributes(table, { pk: sourceKey(source), sk: SHARED }, [["operatorPause", pause]]);
}
