import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { MASKED, masked } from "../../console/mask.ts";

const golden = (name: string): { detail: unknown } =>
  JSON.parse(readFileSync(`contract/golden/${name}.json`, "utf8")) as { detail: unknown };

it("masks what the respondent has said and all that is known of him, and nothing else", () => {
  const { meta, data } = masked(golden("detractor").detail) as {
    meta: object;
    data: Record<string, never> & { answers: object[]; metadata: object; metrics: object[] };
  };

  expect(meta).toEqual((golden("detractor").detail as { meta: object }).meta);
  expect(data).toMatchObject({ responseId: 46375, summary: { nps: { score: 2, class: "detractor" } } });
  expect(data).toMatchObject({
    response: { crk: MASKED, promoCode: null, completed: { local: "2026-03-10 12:58:20" } },
  });
  expect(data.metrics[0]).toMatchObject({ score: { pointsSum: 2 } });
  expect(data.metadata).toMatchObject({ responseId: 46375, ip: MASKED, referrer: MASKED, browser: MASKED });
  expect(data.answers[0]).toMatchObject({
    questionId: 421997,
    answer: [MASKED],
    score: MASKED,
    labels: [MASKED],
    comment: "",
    question: { text: "How was it?" },
  });
});

it.each(["ordinary", "comment", "irregular", "updated", "large"])("leaves nothing personal in the event %s", (name) => {
  const { detail } = golden(name);
  const text = JSON.stringify(masked(detail));
  const personal = JSON.stringify(detail).match(/"(?:ip|referrer|comment|crk|browser|os)":"[^"]+"/g) ?? [];

  expect(personal.length).toBeGreaterThan(0);
  for (const field of personal) expect(text).not.toContain(field);
  // Of answers only the question is left.
  expect(text).not.toMatch(/"(answer|labels)":\["?\w/);
});
