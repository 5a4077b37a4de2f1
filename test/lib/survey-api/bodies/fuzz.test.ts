import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readReports, readSingleResponse } from "../../../../lib/survey-api/bodies/not-shown.ts";
import { AnswerMismatchError } from "../../../../lib/survey-api/errors.ts";
import { documents } from "../documents/support/documents.ts";
import { type Json, type Path, places, replaced } from "../documents/support/json.ts";

/** Fixed, so that a run that fails fails again. */
const SEED = 20_260_310;

/** Names that mean something to JavaScript, to the readers or to the service. */
const names = [
  ...["__proto__", "constructor", "toString", "data", "result", "answers", "response", "records", "reports"],
  ...["questionId", "responseId", "completed", "id", "0", "1", "00", ""],
];
const jsonValue = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const anyJson: fc.Arbitrary<Json> = fc.oneof(
  jsonValue,
  fc.constantFrom<Json>(null, 0, -0, -1, 1e308, 2 ** 53, Number.POSITIVE_INFINITY, "", "\uD800", "\u0000", [], {}, "7"),
  fc.dictionary(fc.constantFrom(...names), jsonValue),
);

/** The body with `put` at one of its places, or as a field by this name in the object there. */
function changedAt(body: Json, where: number, put: Json, name?: string): Json {
  const all: { path: Path; value: Json }[] = [{ path: [], value: body }, ...places(body)];
  const { path, value } = all[where % all.length] ?? { path: [], value: body };
  if (name === undefined) return replaced(body, path, put);
  const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  return replaced(body, path, Object.fromEntries([...Object.entries(fields), [name, put]]));
}

/** Any JSON, or a documented body with some of it changed. */
const anyBody: fc.Arbitrary<Json> = fc.oneof(
  anyJson,
  fc
    .tuple(
      fc.constantFrom(...documents.map(({ body }) => body)),
      fc.array(fc.tuple(fc.nat(), anyJson, fc.option(fc.constantFrom(...names), { nil: undefined })), { maxLength: 4 }),
    )
    .map(([body, changes]) => changes.reduce((now, change) => changedAt(now, ...change), body)),
);

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
  it.each(documents)("$name gives a value, or says that it cannot be read", ({ name, read }) => {
    /** The fields that identify an element. */
    const needed = { "2.1 survey list": ["surveyId"], "2.4 records": ["responseId", "completed"] }[name] ?? [];
    fc.assert(
      fc.property(anyBody, (body) => {
        const reading = read(body);
        if ("unreadable" in reading) {
          expect(reading.message).toMatch(/^.+: the answer (cannot be understood|is not as documented \(.+\)): /);
          return;
        }
        expect(reading.value).toBeTypeOf("object");
        for (const value of needed.length === 0 ? [] : (reading.value as Record<string, unknown>[]))
          for (const field of needed) expect(value[field]).toSatisfy(Number.isInteger);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it("one response or reports are read from it or are not, and it is not changed by being read", () => {
    fc.assert(
      fc.property(anyBody, fc.option(fc.constantFrom(0, 1, 44001), { nil: undefined }), (body, responseId) => {
        const before = structuredClone(body);
        const read = single(body, responseId);
        expect(read?.records ?? []).toSatisfy((records: unknown[]) => records.every((one) => typeof one === "object"));
        if (read !== undefined && responseId !== undefined) expect(read.responseId).toBe(responseId);
        for (const { reportId } of readReports(body) ?? [])
          expect(reportId === undefined || Number.isSafeInteger(reportId)).toBe(true);
        for (const document of documents) document.read(body);
        expect(body).toEqual(before);
      }),
      { seed: SEED, numRuns: 500 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
