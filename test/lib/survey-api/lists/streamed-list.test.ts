import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { parseExactly } from "../../../../lib/survey-api/bodies/exact-json.ts";
import { saysNothing } from "../../../../lib/survey-api/bodies/subject.ts";
import type { SurveyApi } from "../../../../lib/survey-api/index.ts";
import { streamedList } from "../../../../lib/survey-api/lists/streamed-list.ts";
import { answer, type Behaviour, chunk, cut, head, startHostile } from "../support/hostile.ts";
import { clientOf, withToken } from "../support/service.ts";

const about = { operation: "get survey list", attempts: 1, status: 200 } as const;
const same = (element: unknown): unknown => element;

/** The list of a body that comes in pieces of so many bytes. */
function streamed(body: string | Buffer, pieces: number): unknown[] {
  const bytes = Buffer.from(body as string);
  const list = streamedList(same, 10_000);
  for (let at = 0; at < bytes.length; at += pieces) list.write(bytes.subarray(at, at + pieces), about);
  return list.end(about);
}

/** The list of the survey service as it is read element by element. */
const surveys = (api: Pick<SurveyApi, "elements">) => api.elements("get survey list", {}, { each: same });

describe("a list read as it comes", () => {
  it("is what the whole body would be, wherever it is cut", () => {
    const values = fc.array(fc.jsonValue({ stringUnit: "grapheme" }), { maxLength: 12 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 40 }), fc.boolean(), (list, pieces, spaced) => {
        const body = JSON.stringify(list, undefined, spaced ? 2 : 0);
        // `[{}]` is how some services write an empty list.
        expect(streamed(body, pieces)).toEqual(saysNothing(list) ? [] : parseExactly(body));
      }),
    );
  });

  it.each([
    ["with white space around it", ' \r\n\t[ {"surveyId":1} ] \n', [{ surveyId: 1 }]],
    ["of lists", "[[1],[],[[2]]]", [[1], [], [[2]]]],
    ["of an empty object in more lists than are looked into", "[[[{}]]]", [[[{}]]]],
  ])("%s is read", (_name, body, list) => {
    for (const pieces of [1, 3, 1_000]) expect(streamed(body, pieces)).toEqual(list);
  });

  it("is read in time that grows with its length, in whatever shape and however small its pieces", () => {
    const rows = Array.from({ length: 40_000 }, (_, i) => ({ surveyId: i + 1, name: "x".repeat(200) }));
    const list = streamedList(same, Number.POSITIVE_INFINITY);
    const body = Buffer.from(JSON.stringify({ ...rows }));
    // Joined anew at each piece these nine megabytes would be copied six thousand times, which takes minutes.
    for (let at = 0; at < body.length; at += 1_400) list.write(body.subarray(at, at + 1_400), about);
    expect(list.end(about)).toHaveLength(rows.length);
  });

  it.each([
    ["an array", `[${"1,".repeat(250_000)}1]`],
    ["an object with digits for keys", `{${Array.from({ length: 250_001 }, (_, i) => `"${i}":1`).join()}}`],
  ])("has 250,000 elements at most, as %s", (_name, body) => {
    const list = streamedList(same, Number.POSITIVE_INFINITY);
    const read = (): unknown[] => {
      list.write(Buffer.from(body), about);
      return list.end(about);
    };
    expect(read).toThrow("longer than a list of 250000 elements");
  });

  it("keeps going where a text is not in UTF-8: of the surveys in it nothing but that text is spoilt", () => {
    const body = Buffer.concat([Buffer.from('[{"name":"caf'), Buffer.from([0xe9]), Buffer.from('","surveyId":1}]')]);
    for (const pieces of [1, 1_000]) expect(streamed(body, pieces)).toEqual([{ name: "caf\uFFFD", surveyId: 1 }]);
  });

  it.each([
    ["an object", '{"error":"no"}', "cannot be understood|is not as documented"],
    ["nothing", "", "not JSON"],
    ["white space", " \n", "not JSON"],
    ["a page of HTML", "<html>hunter2</html>", "not JSON"],
    ["a list that is cut", '[{"surveyId":1},{"surv', "not JSON"],
    ["a list without its end", '[{"surveyId":1}', "not JSON"],
    ["a list with something behind it", '[{"surveyId":1}] hunter2', "not JSON"],
    ["two lists", "[1][2]", "not JSON"],
    ["a list that is broken in the middle", '[{"surveyId":hunter2}]', "not JSON"],
  ])("%s is refused, and nothing of it told", (_name, body, message) => {
    for (const pieces of [1, 5, 1_000]) {
      let error: Error | undefined;
      try {
        streamed(body, pieces);
      } catch (thrown) {
        error = thrown as Error;
      }
      expect(error).toMatchObject({ code: "UNREADABLE_BODY", message: expect.stringMatching(message) });
      expect(JSON.stringify(error) + String(error)).not.toContain("hunter2");
    }
  });
});

describe("the client reads a list as it comes", () => {
  const list = Array.from({ length: 3_000 }, (_, i) => ({ surveyId: i + 1, name: `n${i}` }));
  const body = JSON.stringify(list);

  it("in chunks and compressed", async () => {
    const pieces = [body.slice(0, 500), body.slice(500)].map(chunk).join("");
    for (const behaviour of [
      cut(`${head("transfer-encoding: chunked")}${pieces}0\r\n\r\n`),
      answer(gzipSync(body), { "content-encoding": "gzip" }),
    ])
      expect(await surveys(clientOf(await startHostile(behaviour)).api)).toEqual(list);
  });

  it("longer than `maxBodyBytes`, as long as each element is not", async () => {
    const many = await startHostile(answer(body));
    expect(await surveys(clientOf(many, { maxBodyBytes: 10_000 }).api)).toHaveLength(3_000);
    const zipped = await startHostile(answer(gzipSync(body), { "content-encoding": "gzip" }));
    expect(await surveys(clientOf(zipped, { maxBodyBytes: 20_000 }).api)).toHaveLength(3_000);

    const long = await startHostile(answer(`[${JSON.stringify("x".repeat(200_000))}]`));
    await expect(surveys(withToken(clientOf(long, { maxBodyBytes: 1_000 })).api)).rejects.toMatchObject({
      code: "UNREADABLE_BODY",
      message: expect.stringContaining("maxBodyBytes"),
    });
    await vi.waitFor(() => expect(long.connections.open).toBe(0), { interval: 2 });
  });

  it("but not without end: of sixteen times `maxBodyBytes` at most, as it is decompressed", async () => {
    const long = answer(gzipSync(`[${"1,".repeat(40_000)}1]`), { "content-encoding": "gzip" });
    const service = await startHostile(long);
    expect(await surveys(clientOf(service, { maxBodyBytes: 5_001 }).api)).toHaveLength(40_001);
    await expect(surveys(withToken(clientOf(service, { maxBodyBytes: 4_999 })).api)).rejects.toMatchObject({
      code: "UNREADABLE_BODY",
      status: 200,
      retryable: false,
      message: expect.stringContaining("the body is longer than 16 × `maxBodyBytes`"),
    });
  });

  it.each<[string, Behaviour]>([
    ["broken", answer(`${body.slice(0, -400)}}`)],
    ["cut within its compression", answer(gzipSync(body).subarray(0, 2_000), { "content-encoding": "gzip" })],
  ])("and asks again where it is %s", async (_name, behaviour) => {
    const service = await startHostile((socket, request) => {
      service.behave = answer(body);
      behaviour(socket, request);
    });
    expect(await surveys(clientOf(service).api)).toEqual(list);
    expect(service.requests).toHaveLength(1 + 2);
  });

  it("and an answer with another status is told by that, whatever its body", async () => {
    const service = await startHostile(answer("<html>", { "content-encoding": "gzip" }, "403 Forbidden"));
    await expect(surveys(clientOf(service).api)).rejects.toMatchObject({ code: "SERVER_ERROR", status: 403 });
  });
});
