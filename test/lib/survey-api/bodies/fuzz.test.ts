import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as bodies from "../../../../lib/survey-api/bodies/documents.ts";
import { asArray } from "../../../../lib/survey-api/bodies/json.ts";
import { readReports, readSingleResponse } from "../../../../lib/survey-api/bodies/not-shown.ts";
import { outline, outlineText } from "../../../../lib/survey-api/bodies/outline.ts";
import { AnswerMismatchError } from "../../../../lib/survey-api/errors.ts";
import { anyBody, withSecret } from "./support/arbitraries.ts";

/** Fixed, so that a run that fails fails again. */
const SEED = 20_260_310;

const { surveyList, survey, questions, records, metrics, reportMetrics, metadata } = bodies;
const readers: Record<string, bodies.BodyReader<unknown>> = Object.fromEntries(
  Object.entries({ surveyList, survey, questions, records, metrics, reportMetrics, metadata }).map(
    ([name, { read }]) => [name, read],
  ),
);

const secrets = [
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
  "3f9ac2e1b7d84056",
  "4111-1111-1111-1111",
  "anna.kowalska@example.org",
  "Nobody told me it would hurt",
  "+48 600 100 200",
];

const isPlace = ({ path, expected }: bodies.Irregularity): boolean =>
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
  it.each(Object.entries(readers))("%s gives a value, or says what had to be readable", (_name, read) => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const reading = read(body);
        if ("unreadable" in reading) return reading.unreadable.length > 0 && reading.unreadable.every(isPlace);
        return typeof reading.value === "object" && reading.value !== null && reading.irregular.every(isPlace);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it("what is read has its identity", () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const surveys = surveyList.read(body);
        if ("value" in surveys) for (const { surveyId } of surveys.value) expect(surveyId).toSatisfy(Number.isInteger);
        const read = records.read(body);
        if ("value" in read) {
          for (const { responseId, completed } of read.value) {
            expect([responseId, completed].every(Number.isInteger)).toBe(true);
          }
        }
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it("every other field is passed on as it was read", () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const reading = records.read(body);
        if ("unreadable" in reading) return;
        const elements = (asArray(body) ?? []) as object[];
        const expected = elements.map((element, index) => {
          const { responseId, completed } = reading.value[index] ?? {};
          return { ...element, responseId, completed };
        });
        expect(reading.value.map((record) => ({ ...record }))).toEqual(expected);
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
      for (const read of Object.values(readers)) expect("unreadable" in read(deep)).toBe(true);
      expect(single(deep, 1)).toBeUndefined();
      expect(outline(deep).length).toBeLessThan(200);
      readReports(deep);
    }
  });

  it("one response is read from it or is not", () => {
    fc.assert(
      fc.property(anyBody, fc.option(fc.constantFrom(0, 1, 44001), { nil: undefined }), (body, responseId) => {
        const read = single(body, responseId);
        if (read === undefined) return;
        expect(read.records.every((record) => typeof record === "object")).toBe(true);
        expect(responseId === undefined || read.responseId === responseId).toBe(true);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it("reports are read from it or are not", () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        for (const { reportId, raw } of readReports(body) ?? []) {
          expect(reportId === undefined || Number.isSafeInteger(reportId)).toBe(true);
          expect(raw).not.toBeUndefined();
        }
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it("it is not changed by being read", () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const before = structuredClone(body);
        for (const read of Object.values(readers)) read(body);
        single(body, 1);
        readReports(body);
        expect(body).toEqual(before);
      }),
      { seed: SEED, numRuns: 200 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

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
        return Object.values(readers).every((read) => {
          const reading = read(body);
          return !shows(JSON.stringify("unreadable" in reading ? reading.unreadable : reading.irregular));
        });
      }),
      { seed: SEED, numRuns: 200 },
    );
  });
});
