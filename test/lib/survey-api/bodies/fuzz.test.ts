import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asArray } from "../../../../lib/survey-api/bodies/json.ts";
import { readReports, readSingleResponse } from "../../../../lib/survey-api/bodies/not-shown.ts";
import { outline, outlineText } from "../../../../lib/survey-api/bodies/outline.ts";
import { AnswerMismatchError } from "../../../../lib/survey-api/errors.ts";
import { documents, type Place } from "../documents/support/documents.ts";
import { anyBody, withSecret } from "./support/arbitraries.ts";

/** Fixed, so that a run that fails fails again. */
const SEED = 20_260_310;

const secrets = [
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
  "3f9ac2e1b7d84056",
  "4111-1111-1111-1111",
  "anna.kowalska@example.org",
  "Nobody told me it would hurt",
  "+48 600 100 200",
];

const isPlace = ({ path, expected }: Place): boolean =>
  typeof path === "string" && /^(array|boolean|integer|object|string|array with one object)$/.test(expected);

const about = { operation: "get survey response by id", status: 200, attempts: 1 } as const;

/** Undefined also where it is another response. */
function single(body: unknown, responseId: number | undefined) {
  try {
    return readSingleResponse(body, responseId === undefined ? {} : { responseId }, about);
  } catch (error) {
    expect(error).toBeInstanceOf(AnswerMismatchError);
    return undefined;
  }
}

describe("whatever a body holds", () => {
  it.each(documents)("$name gives a value, or says what had to be readable", ({ name, read }) => {
    /** The fields that identify an element; all others are passed on as they were read. */
    const needed = { "2.1 survey list": ["surveyId"], "2.4 records": ["responseId", "completed"] }[name];
    fc.assert(
      fc.property(anyBody, (body) => {
        const reading = read(body);
        if ("unreadable" in reading) return reading.unreadable.length > 0 && reading.unreadable.every(isPlace);
        if (needed !== undefined) {
          const values = reading.value as Record<string, unknown>[];
          for (const value of values) expect(needed.map((field) => value[field])).toSatisfy(areIntegers);
          const identities = values.map((value) => Object.fromEntries(needed.map((field) => [field, value[field]])));
          const elements = (asArray(body) ?? []) as object[];
          expect(values.map((value) => ({ ...value }))).toEqual(
            elements.map((one, i) => ({ ...one, ...identities[i] })),
          );
        }
        return typeof reading.value === "object" && reading.value !== null && reading.irregular.every(isPlace);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it("nesting of any depth is read without going all the way down", () => {
    for (const wrap of [
      (inner: unknown) => [inner],
      (inner: unknown) => ({ data: inner }),
      (inner: unknown) => ({ answers: [inner] }),
    ]) {
      let deep: unknown = null;
      for (let i = 0; i < 100_000; i += 1) deep = wrap(deep);
      for (const { read } of documents) expect("unreadable" in read(deep)).toBe(true);
      expect(single(deep, 1)).toBeUndefined();
      expect(outline(deep).length).toBeLessThan(200);
      readReports(deep);
    }
  });

  it("one response or reports are read from it or are not, and it is not changed by being read", () => {
    fc.assert(
      fc.property(anyBody, fc.option(fc.constantFrom(0, 1, 44001), { nil: undefined }), (body, responseId) => {
        const before = structuredClone(body);
        const read = single(body, responseId);
        expect(read?.records ?? []).toSatisfy((records: unknown[]) => records.every((one) => typeof one === "object"));
        if (read !== undefined && responseId !== undefined) expect(read.responseId).toBe(responseId);
        for (const { reportId, raw } of readReports(body) ?? []) {
          expect(reportId === undefined || Number.isSafeInteger(reportId)).toBe(true);
          expect(raw).not.toBeUndefined();
        }
        for (const document of documents) document.read(body);
        expect(body).toEqual(before);
      }),
      { seed: SEED, numRuns: 500 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

const areIntegers = (values: unknown[]): boolean => values.every(Number.isInteger);

describe.each(secrets)("%j in a body", (secret) => {
  // Whole, or any part of it long enough to mean something.
  const parts = Array.from({ length: secret.length - 7 }, (_, i) => secret.slice(i, i + 8));
  const shows = (text: string): boolean => parts.some((part) => text.includes(part));

  it("is in no outline and in no path", () => {
    fc.assert(
      fc.property(withSecret(secret), (body) => {
        const shown = outline(body);
        if (shows(shown) || shown.length > 200 || shown === "") return false;
        if (shows(outlineText(JSON.stringify(body)))) return false;
        return documents.every(({ read }) => {
          const reading = read(body);
          return !shows(JSON.stringify("unreadable" in reading ? reading.unreadable : reading.irregular));
        });
      }),
      { seed: SEED, numRuns: 200 },
    );
  });
});
