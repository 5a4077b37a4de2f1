import { describe, expect, it } from "vitest";
import records from "../schemas/fixtures/records.json" with { type: "json" };
import type { Json } from "../schemas/support/json.ts";
import { places, replaced } from "../schemas/support/json.ts";
import { listen } from "../support/channels.ts";
import { irregularCases as cases, PRIVATE } from "../support/irregular-cases.ts";
import { clientOf, startService } from "../support/service.ts";

const inValue = (json: Json, unwrapped = false): Json => (unwrapped && Array.isArray(json) ? (json[0] ?? null) : json);

async function given(path: string, json: Json, strict = false) {
  const service = await startService();
  service.answers.set(path, () => ({ json }));
  return clientOf(service, { strict });
}

describe("a field that is not as documented", () => {
  it.each(cases)("$name: is passed on as it was read, and told without its value", async (each) => {
    const json = replaced(each.body, each.field, PRIVATE);
    const told = listen();
    const { api } = await given(each.path, json);

    expect(await each.call(api)).toEqual(inValue(json, each.unwrapped));

    expect(told.irregular).toEqual([{ operation: each.operation, ...each.told }]);
  });

  it.each(cases)("$name: that is missing is told the same way", async (each) => {
    const json = replaced(each.body, each.field, undefined);
    const told = listen();
    const { api } = await given(each.path, json);
    expect(await each.call(api)).toEqual(inValue(json, each.unwrapped));
    expect(told.irregular).toEqual([{ operation: each.operation, ...each.told }]);
  });

  it.each(cases)(
    "$name: is an error with `strict` that names the place, and repeats nothing of the body",
    async (each) => {
      const told = listen();
      const { api } = await given(each.path, replaced(each.body, each.field, PRIVATE), true);

      const error = await each.call(api).catch((thrown: unknown) => thrown);

      expect(error).toMatchObject({
        code: "UNREADABLE_BODY",
        operation: each.operation,
        status: 200,
        attempts: 1,
        retryable: false,
        message: expect.stringContaining(`${each.told.path} should be ${each.told.expected}`),
        excerpt: expect.stringMatching(/^array\(\d\) of /),
      });
      expect(JSON.stringify([error, `${error}`])).not.toContain(PRIVATE);
      expect(told.irregular).toEqual([]);
    },
  );

  it("in many places is named three times in an error, and told of each", async () => {
    const json = [...records, ...records].map((record) => ({ ...record, comment: null }));
    const told = listen();
    await (await given("/api/v3/surveys/1201/responses/", json)).api.records(1201);
    expect(told.irregular).toHaveLength(4);
    const strict = await given("/api/v3/surveys/1201/responses/", json, true);
    await expect(strict.api.records(1201)).rejects.toThrow(
      /\(\[0\]\.comment should be string, \[1\]\.comment should be string, \[2\]\.comment should be string, and 1 more\)/,
    );
  });

  it.each([false, true])("is not one that the document does not know: that is kept (strict: %s)", async (strict) => {
    const json = records.map((record) => ({ ...record, aNewField: { of: PRIVATE } }));
    const told = listen();
    const { api } = await given("/api/v3/surveys/1201/responses/", json, strict);
    expect(await api.records(1201)).toEqual(json);
    expect(told.irregular).toEqual([]);
  });
});

describe("what identifies an element", () => {
  const identified = cases.flatMap((each) =>
    each.identity === undefined ? [] : [{ ...each, identity: each.identity }],
  );

  it.each(identified)("$name: is an error when it cannot be read, with or without `strict`", async (each) => {
    for (const strict of [false, true]) {
      for (const spoilt of [PRIVATE, null, undefined, 1.5, [], {}]) {
        const { api } = await given(each.path, replaced(each.body, each.identity, spoilt), strict);
        const error = await each.call(api).catch((thrown: unknown) => thrown);
        expect(error, String(spoilt)).toMatchObject({
          code: "UNREADABLE_BODY",
          operation: each.operation,
          status: 200,
          attempts: 1,
          retryable: false,
          hint: expect.stringContaining("read()"),
        });
        const place = each.identity.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
        expect(error).toHaveProperty("message", expect.stringContaining(`${place} should be integer`));
        expect(error).toHaveProperty("excerpt", expect.stringMatching(/^array\(\d\) of \{/));
        expect(JSON.stringify([error, `${error}`])).not.toContain(PRIVATE);
      }
    }
  });

  it("is understood in quotes, as the number that it is, and told", async () => {
    const json = records.map((record) => ({ ...record, responseId: String(record.responseId), completed: "1" }));
    const told = listen();
    const { api } = await given("/api/v3/surveys/1201/responses/", json);
    expect(await api.records(1201)).toEqual(records);
    expect(told.irregular).toEqual(
      [0, 1].flatMap((index) =>
        ["responseId", "completed"].map((name) => ({
          operation: "get survey responses",
          path: `[${index}].${name}`,
          expected: "integer",
        })),
      ),
    );
  });
});

describe("a container that is none", () => {
  it.each(cases)("$name: is an error that outlines the body", async (each) => {
    for (const json of [PRIVATE, 7, true, { error: PRIVATE }, [PRIVATE]]) {
      const { api } = await given(each.path, json);
      const error = await each.call(api).catch((thrown: unknown) => thrown);
      expect(error, JSON.stringify(json)).toMatchObject({
        code: "UNREADABLE_BODY",
        operation: each.operation,
        excerpt: expect.stringMatching(
          /^(string\(26\)|number|boolean|\{ error: string\(26\) \}|array\(1\) of string\(26\))$/,
        ),
      });
      expect(JSON.stringify([error, `${error}`])).not.toContain(PRIVATE);
    }
  });
});

it("any place of a page that holds a private text instead is read or refused, and never repeated", async () => {
  const service = await startService();
  let json: Json = null;
  service.answers.set("/api/v3/surveys/1201/responses/", () => ({ json }));
  const told = listen();
  for (const strict of [false, true]) {
    const { api } = clientOf(service, { strict });
    for (const { path } of places(records)) {
      json = replaced(records, path, PRIVATE);
      const outcome = await api.records(1201).then(
        (value) => expect(value).toEqual(json),
        (error: unknown) => `${error}${JSON.stringify(error)}`,
      );
      expect(outcome ?? "").not.toContain("Jane");
    }
  }
  expect(JSON.stringify(told)).not.toContain("Jane");
  expect(told.irregular.length).toBeGreaterThanOrEqual(10);
});
