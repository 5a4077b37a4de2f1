import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "../../../../lib/survey-api/http/retry-policy.ts";
import { defaultRetryPolicy, type FailureCode, type SurveyApiOptions } from "../../../../lib/survey-api/index.ts";
import { type Answer, clientOf, inTurn, startClient, startService } from "../support/service.ts";

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
async function attemptsOf(code: Code, operation: keyof typeof paths, retry: SurveyApiOptions["retry"]) {
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
  it.each(codes)("with %s are as in the default policy, as given, or as given for the operation", async (code) => {
    const { attempts, operations } = defaultRetryPolicy;
    const usual = attempts[code];
    const forOne = { attempts: { [code]: 3 }, operations: { "get survey list": { [code]: 2 } } };
    // Of another operation nothing is said, and no more of the default either.
    const forAnother = { attempts: { [code]: 2 }, operations: { "get token": {} } };
    for (const [operation, retry, made] of [
      ["get survey list", {}, usual],
      ["get token", {}, operations["get token"]?.[code] ?? usual],
      ["get survey list", { attempts: { [code]: 1 } }, 1],
      ["get survey list", forOne, 2],
      ["get token", forAnother, 2],
    ] as const)
      expect(await attemptsOf(code, operation, retry)).toBe(made);
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
  const attempts = { SERVER_ERROR: 8 };
  const doubled = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];

  it.each<[string, Partial<SurveyApiOptions>, number[]]>([
    ["double from 250 ms to at most 8 s", { retry: { attempts } }, doubled],
    [
      "are shorter by chance, half at most",
      { retry: { attempts }, random: () => 0 },
      doubled.map((delay) => delay / 2),
    ],
    ["are as given", { retry: { attempts, baseDelay: 10, maxDelay: 25 } }, [10, 20, 25, 25, 25, 25, 25]],
    ["are none where none are given", { retry: { attempts, baseDelay: 0 } }, []],
  ])("%s", async (_name, options, delays) => {
    const { service, api, slept } = await startClient(options);
    service.answers.set(list, () => failures.SERVER_ERROR);
    await expect(api.surveys()).rejects.toMatchObject({ code: "SERVER_ERROR" });
    expect(slept).toEqual(delays);
  });
});

it.each([
  ["3", 3_000],
  ["0", 0],
  [" 1.5 ", 1_500],
  ["Tue, 10 Mar 2026 12:00:30 GMT", 30_000],
  ["Tue, 10 Mar 2026 11:00:00 GMT", 0],
  ...["soon", "", "5, 5", "1,5", "+5", "-1", "Infinity", "1 2", "next week", undefined].map((odd) => [odd, undefined]),
] as [string | undefined, number | undefined][])("Retry-After %j is %j ms", (value, expected) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 2, 10, 12))).toBe(expected);
});
