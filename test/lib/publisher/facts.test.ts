import { CreateEventBusCommand } from "@aws-sdk/client-eventbridge";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { buildEvent, toUpdate } from "../../../lib/events/build/build-event.ts";
import { factsJson } from "../../../lib/events/build/facts.ts";
import { response } from "../../../lib/events/generate/golden.ts";
import { type ResponseCompleted, responseCompleted, responseUpdated } from "../../../lib/events/index.ts";
import { useAws } from "../support/aws.ts";
import { detail, free, published, publisherTo, seal, time } from "./support/events.ts";

const PERSONAL = "told-by-the-respondent";

/** An event with this text wherever a respondent, an inviter or the service can leave one. */
function planted(answers = 1): ResponseCompleted {
  const text = PERSONAL;
  const records = Array.from({ length: answers }, (_, questionId) => ({
    ...{ completed: 1, questionId, answer: [1], score: 5, comment: text, matrixScore: { "1": text } },
    ...{ crk: text, promoCode: text, own: text, dateStart: "2026-03-10 11:58:00", dateCompleted: [text] },
  }));
  const metrics = {
    "31": { metricId: 31, metricName: "NPS", own: text, score: { pointsSum: 9, nps: true, own: text } },
  };
  const metadata = { ip: text, referrer: text, browser: text, own: text };
  return buildEvent(response(1, { records, metrics, metadata, definition: undefined, timeZone: undefined }));
}

describe("the copy for the bus of facts", () => {
  it("has the figures of an event, nothing personal, and the same form", () => {
    const whole = planted();
    expect(JSON.stringify(whole).split(PERSONAL).length).toBeGreaterThan(10);
    const json = factsJson(whole);
    expect(json).not.toContain(PERSONAL);
    const { meta, data } = responseCompleted.parse(JSON.parse(json));
    expect(meta).toEqual({ ...whole.meta, reduced: true });
    expect(data).toMatchObject({
      summary: whole.data.summary,
      response: { crk: null, hasComment: true, answerCount: 1, started: { local: "2026-03-10 11:58:00" } },
      metrics: [{ key: "31", metricName: "NPS", score: { pointsSum: 9, nps: true } }],
      metadata: null,
      answers: [{ questionId: 0, answer: [1], comment: "", score: 5, matrixScore: null }],
    });
  });

  it("of an update says what it replaces", () => {
    const update = toUpdate(planted(), { replaces: "before", changes: ["answers"], observedAt: time });
    const { meta, data } = responseUpdated.parse(JSON.parse(factsJson(update)));
    expect(meta).toMatchObject({ replaces: "before", changed: ["answers"], reduced: true });
    expect(data.observedAt).toBe(update.data.observedAt);
  });

  it("goes without answers where these are very many", () => {
    const json = factsJson(planted(2_000));
    expect(JSON.parse(json).data).toMatchObject({ answers: [], answersRef: null, response: { answerCount: 2_000 } });
  });
});

describe("with a bus of facts", () => {
  const test = useAws();
  /** Whether each event that a bus has accepted, in order, is a copy. */
  const copies = () => test.events.map(({ detail }) => (detail as ResponseCompleted).meta.reduced ?? false);

  beforeAll(() => test.clients.events.send(new CreateEventBusCommand({ Name: "facts" })));
  afterEach(() => test.aws.faults.clear());
  const publisher = () => publisherTo(test, { factsBus: "facts" });

  it("each event goes out twice: first its copy, then whole", async () => {
    const to = publisher();
    const told = { type: "books.closed", detail: { meta: {}, data: {} }, time } as never;
    const sealed = [...(await seal(to, detail(1, PERSONAL))), await to.seal(told)];
    expect(await to.publish(sealed, free)).toEqual([published, published]);
    expect(copies()).toEqual([true, false, false, false]);
    expect(JSON.stringify(test.events[0])).not.toContain(PERSONAL);
    expect(JSON.stringify(test.events[2])).toContain(PERSONAL);
  });

  it("a failure of either is tried again, and no copy that is out is repeated", async () => {
    const to = publisher();
    const putEvents = { service: "eventbridge", operation: "PutEvents", kind: "error", times: 1 } as const;
    test.aws.faults.add({ ...putEvents, after: 1 });
    expect(await to.publish(await seal(to, detail(1)), free)).toEqual([published]);
    expect(copies()).toEqual([true, false]);
  });

  it("an event whose copy does not go out has failed, and is not out itself", async () => {
    const to = publisher();
    test.aws.faults.add({ service: "eventbridge", operation: "PutEvents", kind: "error" });
    const [outcome] = await to.publish(await seal(to, detail(1)), free);
    expect(outcome).toMatchObject({ kind: "failed", code: expect.stringMatching(/^facts:request:/) });
    expect(test.events).toEqual([]);
  });
});
