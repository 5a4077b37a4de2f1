import type { ListedRecord } from "./responses.ts";
import type { Settings } from "./settings.ts";

/** Records as the `nth` answer shows them, though they have not changed. */
export function asRead(records: ListedRecord[], { rereads }: Pick<Settings, "rereads">, nth: number): ListedRecord[] {
  if (rereads === "same") return records;
  if (rereads === "readAt") return records.map((record) => ({ ...record, readAt: nth }));
  return records.map((record) => {
    const fields = Object.entries(record);
    const turn = nth % fields.length;
    return Object.fromEntries([...fields.slice(turn), ...fields.slice(0, turn)]);
  });
}
