import { describe, expect, it } from "vitest";
import type { SurveyService } from "../../../lib/polling/index.ts";
import { closedBooks } from "../../support/slow.ts";
import { at, HOUR, MINUTE, range, recordsOf, runTick, surveyOf, worldWith } from "../../support/survey.ts";

const PAGE = 100;
const SIZE = 60;

/** Records of which so many are open, then completed, then open. */
const disagreeing = (parts: [number, number, number]): unknown[] =>
  parts
    .flatMap((size, i) =>
      size === 0 ? [] : recordsOf({ responseId: 2, size, ...(i === 1 ? { completed: at(0) } : {}) }),
    )
    .map((record, i) => ({ ...Object(record), questionId: i + 1, dateCompleted: at(0) }));

describe.each(["found", "absent"] as const)(
  "records of one response that disagree whether it is completed, operation 9 %s,",
  (single) => {
    it.each<[number, number, number]>([
      [60, 60, 60],
      [60, 60, 0],
      [0, 60, 60],
      [120, 120, 120],
    ])("are one event, wherever a page ends: %i open, %i completed, %i open", async (...parts) => {
      const world = worldWith([]);
      const records = [
        ...recordsOf({ responseId: 1, completed: at(-HOUR), size: SIZE }),
        ...disagreeing(parts),
        ...recordsOf({ responseId: 3, completed: at(HOUR), size: SIZE }),
      ];
      Object.assign(surveyOf(world), { records });
      surveyOf(world).counts.responses = 3;
      const { service } = world.ports;
      world.ports.service = {
        surveys: () => service.surveys(),
        metrics: (...asked) => service.metrics(...asked),
        metadata: (...asked) => service.metadata(...asked),
        definition: (...asked) => service.definition(...asked),
        response: async (...asked) => (single === "absent" ? { kind: "absent" } : service.response(...asked)),
        page: async (_survey, page, order) => {
          const listed = order === "asc" ? records : records.toReversed();
          return { kind: "page", records: structuredClone(listed.slice((page - 1) * PAGE, page * PAGE)) };
        },
      } satisfies SurveyService;
      for (const _ of range(1, 60)) {
        await runTick(world);
        world.time.now += MINUTE;
      }
      const sent = world.delivered.map(({ data }) => [data.responseId, data.answers.length]);
      expect(sent.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
        [1, SIZE],
        [2, parts[0] + parts[1] + parts[2]],
        [3, SIZE],
      ]);
      expect(closedBooks(world)).toMatchObject({ listed: 3, emitted: 3 });
    });
  },
);
