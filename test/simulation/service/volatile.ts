import type { Json, Volatile } from "./survey-model.ts";

// Records that read differently each time although nothing of them has changed.

const SIGNATURE = /#\d+$/;

/** Records as the service shows them in its `read`-th answer. */
export function shown(records: readonly Json[], volatile: Volatile, read: number): Json[] {
  switch (volatile) {
    case "none":
      return records.slice();
    case "undocumented":
      return records.map((record) => ({ ...record, readAt: read }));
    case "comment":
      return records.map((record) => {
        const { comment } = record;
        return typeof comment === "string" && comment !== "" ? { ...record, comment: `${comment}#${read}` } : record;
      });
    case "order":
      return records.map((record) => {
        const fields = Object.entries(record);
        const turn = read % fields.length;
        return Object.fromEntries([...fields.slice(turn), ...fields.slice(0, turn)]);
      });
  }
}

/** A comment without what is another one in each answer. */
export const unsigned = (comment: unknown): unknown =>
  typeof comment === "string" ? comment.replace(SIGNATURE, "") : comment;
