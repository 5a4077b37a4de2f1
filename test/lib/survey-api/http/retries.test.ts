import { describe, expect, it } from "vitest";
import { nextDelay, parseRetryAfter } from "../../../../lib/survey-api/http/retry-policy.ts";
import { defaultRetryPolicy, type FailureCode, type SurveyApiOptions } from "../../../../lib/survey-api/index.ts";
import { type Answer, clientOf, inTurn, startService } from "../support/service.ts";

const list = "/api/v3/surveys/";
const good: Answer = { json: [{ surveyId: 1 }] };
/** Short only where a TIMEOUT is wanted: a busy machine must not make one of another failure. */
const shortTimeouts = { connect: 1_000, headers: 70, body: 70 };

/** Neither of the two operations here is about one survey or one response. */
type Code = Exclude<FailureCode, "ANSWER_MISMATCH">;

/** What each failure is met with on the wire. */
const failures: Record<Code, Answer> = {
  SERVER_ERROR: { status: 500, json: {} },
  UNREACHABLE: (response) => response.destroy(),
  TIMEOUT: () => undefined,
  UNREADABLE_BODY: { body: "[" },
  TOO_MANY_REQUESTS: { status: 429, json: {} },
};
const codes = Object.keys(failures) as Code[];
const paths = { "get survey list": list, "get token": "/oauth/token/" } as const;

/** Calls until it fails for good, and gives how many requests that took. */
async function attemptsOf(
  code: Code,
  operation: keyof typeof paths,
  retry: SurveyApiOptions["retry"],
): Promise<number> {
  const service = await startService();
  service.answers.set(paths[operation], () => failures[code]);
  const { api } = clientOf(service, {
    ...(code === "TIMEOUT" && { timeouts: shortTimeouts }),
    retry: { longestPause: 10_000_000, ...retry },
  });
  const error: unknown = await api.surveys().catch((thrown: unknown) => thrown);
  const made = service.requests.filter(({ path }) => path === paths[operation]).length;
  expect(error).toMatchObject({ code, operation, attempts: made });
  return made;
}

describe("the attempts of a call that always fails", () => {
  it.each(codes)("with %s are as in the default policy", async (code) => {
    const { attempts, operations } = defaultRetryPolicy;
    expect(await attemptsOf(code, "get survey list", {})).toBe(attempts[code]);
    expect(await attemptsOf(code, "get token", {})).toBe(operations["get token"]?.[code] ?? attempts[code]);
  });

  it.each(codes)("with %s are as given, whatever the other failures have", async (code) => {
    expect(await attemptsOf(code, "get survey list", { attempts: { [code]: 1 } })).toBe(1);
    expect(await attemptsOf(code, "get survey list", { attempts: { [code]: 3 } })).toBe(3);
  });

  it.each(codes)("with %s are as given for the operation, before what is given for all", async (code) => {
    const retry = { attempts: { [code]: 3 }, operations: { "get survey list": { [code]: 2 } } };
    expect(await attemptsOf(code, "get survey list", retry)).toBe(2);
    // Of another operation nothing is said, and no more of the default either.
    expect(await attemptsOf(code, "get token", { attempts: { [code]: 2 }, operations: { "get token": {} } })).toBe(2);
  });

  it("are counted for all kinds of failures together", async () => {
    const service = await startService();
    service.answers.set(list, inTurn(failures.SERVER_ERROR, failures.UNREACHABLE, failures.TIMEOUT, good));
    const error = await clientOf(service, { timeouts: shortTimeouts })
      .api.surveys()
      .catch((thrown: unknown) => thrown);
    // The third attempt is one too many for a TIMEOUT, of which two are allowed.
    expect(error).toMatchObject({ code: "TIMEOUT", attempts: 3 });
  });
});

describe("the delays between attempts", () => {
  const always = async (options: Partial<SurveyApiOptions>): Promise<number[]> => {
    const service = await startService();
    service.answers.set(list, () => failures.SERVER_ERROR);
    const { api, slept } = clientOf(service, options);
    await expect(api.surveys()).rejects.toMatchObject({ code: "SERVER_ERROR" });
    return slept;
  };
  const attempts = { SERVER_ERROR: 8 };

  it("double from 250 ms to at most 8 s", async () => {
    expect(await always({ retry: { attempts } })).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  });

  it("are shorter by chance, by up to a half", async () => {
    expect(await always({ retry: { attempts }, random: () => 0 })).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 4_000]);
  });

  it("are as given", async () => {
    expect(await always({ retry: { attempts, baseDelay: 10, maxDelay: 25 } })).toEqual([10, 20, 25, 25, 25, 25, 25]);
    expect(await always({ retry: { attempts, baseDelay: 0 } })).toEqual([]);
  });
});

describe("the policy as data", () => {
  it("gives no delay for an error that is not of the service", () => {
    expect(nextDelay(defaultRetryPolicy, new Error("odd"), 1, 0.5)).toBeUndefined();
  });

  it.each([
    ["3", 3_000],
    ["0", 0],
    [" 1.5 ", 1_500],
    ["Tue, 10 Mar 2026 12:00:30 GMT", 30_000],
    ["Tue, 10 Mar 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("Retry-After %j is %j ms", (value, expected) => {
    expect(parseRetryAfter(value, Date.UTC(2026, 2, 10, 12))).toBe(expected);
  });
});
