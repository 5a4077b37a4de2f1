import * as z from "zod";
import { dateTime, flag, integer } from "./fields.ts";

/** Fields that metrics of a response and of a report have in common. */
const metricHead = {
  metricId: integer,
  surveyId: integer,
  metricName: z.string(),
  /** Value seen: `points`. */
  presentation: z.string(),
  maxValueIncludingEmptyAnswer: integer,
  /** 0 or 1. */
  testMode: flag,
  firstLevelThreshold: integer.nullable(),
  secondLevelThreshold: integer.nullable(),
  /** `YYYY-MM-DD HH:MM:SS`, in a zone that the service does not name; a number in the survey list. */
  created: dateTime,
};

/** Section 2.6: the points that one response has in one metric. */
export const responseScoreSchema = z.looseObject({
  pointsSum: integer,
  maxPointsSum: integer,
  minPointsSum: integer,
  nps: z.boolean(),
});

/** Section 2.6: the points that one response has in one metric. */
export type ResponseScore = z.infer<typeof responseScoreSchema>;

/** Section 2.6: a metric of one response: a value in the map of operation 11. */
export const responseMetricSchema = z.looseObject({ ...metricHead, score: responseScoreSchema });

/** Section 2.6: a metric of one response: a value in the map of operation 11. How its key relates to `metricId` is not shown. */
export type ResponseMetric = z.infer<typeof responseMetricSchema>;

/** Section 2.7: a metric of a report: a value in the map of operation 12. */
export const reportMetricSchema = z.looseObject({
  ...metricHead,
  /** A decimal number in a string, where a metric of a response has an object. */
  score: z.string(),
  condition: z.string(),
  maxPointsSum: integer,
  /** Spelled so by the service: singular "Point", where metrics of a response have `minPointsSum`. */
  minPointSum: integer,
  /** An integer in a string. */
  responseSum: z.string(),
});

/** Section 2.7: a metric of a report (operation 12); `score` and `responseSum` are numbers in strings, `minPointSum` is spelled so. */
export type ReportMetric = z.infer<typeof reportMetricSchema>;
