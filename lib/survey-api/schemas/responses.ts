import * as z from "zod";
import { dateTime, flag, integer, nullSeen } from "./fields.ts";

/** Section 2.4: one element of a response page (operations 6 to 8): one answered question of one response. */
export const responseRecordSchema = z.looseObject({
  responseId: integer,
  surveyId: integer,
  /** Country code. */
  iso3166: z.string(),
  /** The key of operation 10; null seen, a string where the response has one. */
  crk: nullSeen,
  promoCode: nullSeen,
  /** 0: open, 1: completed. */
  completed: flag,
  /** `YYYY-MM-DD HH:MM:SS`, in a zone that the service does not name. */
  dateStart: dateTime,
  /** `YYYY-MM-DD HH:MM:SS`, in a zone that the service does not name. */
  dateCompleted: dateTime,
  questionId: integer,
  /** Indexes of the chosen answers. */
  answer: z.array(integer),
  comment: z.string(),
  score: integer.nullable(),
  matrixScore: nullSeen,
});

/** Section 2.4: one answered question of one response (operations 6 to 8); its dates have no zone. */
export type ResponseRecord = z.infer<typeof responseRecordSchema>;

/** Section 2.5: one element of the metadata of a response (operation 13). */
export const responseMetadataSchema = z.looseObject({
  responseId: integer,
  /** The respondent's IP address: personal data. */
  ip: z.string(),
  /** A key that the inviter sets, as `crk` is; it need be no address. */
  referrer: z.string().nullable(),
  /** Country code. */
  iso3166: z.string(),
  languageId: integer.nullable(),
  languageName: z.string().nullable(),
  languageSymbol: z.string().nullable(),
  /** Value seen: `desktop`. */
  deviceType: z.string(),
  deviceTypeName: z.string(),
  os: z.string(),
  /** Name and version. */
  browser: z.string(),
});

/** Section 2.5: where and with what a response was given (operation 13); `ip` and `referrer` are personal data. */
export type ResponseMetadata = z.infer<typeof responseMetadataSchema>;
