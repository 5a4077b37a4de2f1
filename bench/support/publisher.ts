import type { Publisher } from "../../lib/polling/ports.ts";

/** A bus that takes whatever it is given; `took` is called with the JSON of each event that has the contents of a response. */
export function takingAll(took: (json: string) => void): Publisher {
  return {
    async seal({ type, detail, time }) {
      const json = JSON.stringify(detail);
      return { type, json, time, bytes: Buffer.byteLength(json) };
    },
    async publish(events, guard) {
      await guard();
      return events.map(({ type, json }) => {
        if (type === "response.completed" || type === "response.updated") took(json);
        return { kind: "published" };
      });
    },
  };
}
