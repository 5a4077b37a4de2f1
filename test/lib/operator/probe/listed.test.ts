import { expect, it } from "vitest";
import { pageOf } from "../../../../lib/operator/probe/listed.ts";
import { readRecord } from "../../../../lib/polling/model/records.ts";

const now = Date.UTC(2026, 2, 10, 12);

it.each([1, "1", true, 0, "0", false, "true", "yes", 2, null, undefined])(
  "the probe takes completed: %j for what the poller takes it for",
  (completed) => {
    const record = { responseId: 7, completed, questionId: 1, dateCompleted: "2026-03-10 11:00:00" };
    const [run] = pageOf([record], now).runs;
    expect(run?.completed).toBe(readRecord(record).completed);
    expect(run?.dateCompleted).toBe(run?.completed === true ? record.dateCompleted : null);
  },
);
