import { Match } from "aws-cdk-lib/assertions";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { response } from "../../codegen/golden.ts";
import { keyOf, type Row, rowOfContents, rowOfDeletion } from "../../examples/responses-to-s3/row.ts";
import { ResponsesToS3 } from "../../examples/responses-to-s3/stack.ts";
import { buildEvent, toUpdate } from "../../lib/events/build/build-event.ts";
import type { ResponseDeleted } from "../../lib/events/index.ts";
import { viewOf } from "./support/responses-view.ts";
import { type Synthesized, synthesizeExample } from "./support/template.ts";

const START = Date.UTC(2026, 2, 10, 23, 59);
const MINUTE = 60_000;

/** The event with this revision of a response, made so many minutes after the start. */
function event(responseId: number, revision: number, minutes: number): Row {
  const detectedAt = START + minutes * MINUTE;
  const built = buildEvent({ ...response(responseId), surveyId: 103, revision, detectedAt });
  if (revision === 1) return rowOfContents("response.completed", built, built.data.answers);
  const updated = toUpdate(built, { replaces: "before", changes: ["answers"], observedAt: detectedAt });
  return rowOfContents("response.updated", updated, updated.data.answers);
}

function deletion(responseId: number, minutes: number): Row {
  const at = new Date(START + minutes * MINUTE).toISOString();
  const { event_id } = event(responseId, 1, 0);
  const meta = { eventId: `deletion-${event_id}-${minutes}`, schemaVersion: "1", sourceName: "main", detectedAt: at };
  const data = { surveyId: 103, responseId, survey: null, lastEventId: event_id, observedAt: at };
  return rowOfDeletion("response.deleted", { meta, data } as ResponseDeleted);
}

/** What the view shows after these events came in this order: response, revision and minute. */
function shown(arrived: readonly Row[]): [number, number | null, number][] {
  const objects = new Map(arrived.map((row) => [keyOf(row), row]));
  return viewOf([...objects.values()]).map(({ response_id, revision, detected_at }) => [
    response_id,
    revision,
    (Date.parse(detected_at) - START) / MINUTE,
  ]);
}

describe("the view", () => {
  it.each<[what: string, events: Row[], view: [number, number, number][]]>([
    ["an event", [event(1, 1, 0)], [[1, 1, 0]]],
    [
      "an update",
      [event(1, 1, 0), event(1, 2, 5), event(2, 1, 0)],
      [
        [1, 2, 5],
        [2, 1, 0],
      ],
    ],
    ["a repeat made anew, on the next day", [event(1, 1, 0), event(1, 1, 2)], [[1, 1, 2]]],
    ["a repeat of what was updated since", [event(1, 1, 0), event(1, 2, 5), event(1, 1, 7)], [[1, 2, 5]]],
    ["a deletion", [event(1, 1, 0), deletion(1, 5), event(2, 1, 9)], [[2, 1, 9]]],
    ["a response that is listed again", [event(1, 1, 0), deletion(1, 5), event(1, 2, 9)], [[1, 2, 9]]],
    ["one that is deleted again", [event(1, 1, 0), deletion(1, 5), event(1, 2, 9), deletion(1, 12)], []],
  ])("is right after %s, in whatever order and however often it comes", (_what, events, view) => {
    const arrivals = fc
      .tuple(fc.shuffledSubarray(events, { minLength: events.length }), fc.subarray(events))
      .map(([once, again]) => [...once, ...again]);
    fc.assert(
      fc.property(arrivals, (arrived) => {
        expect(shown(arrived)).toEqual(view);
      }),
      { numRuns: 50, seed: 1 },
    );
  });
});

describe("an object", () => {
  it("lies below its day and survey, and its name begins with the ids that an erasure asks for", () => {
    const row = event(9001, 1, 0);
    expect(keyOf(row)).toBe(`day=2026-03-10/survey=103/103-9001-20260310T235900000Z-${row.event_id}.json`);
    expect(keyOf(event(9001, 2, 2))).toMatch(/^day=2026-03-11\//);
  });
});

// The first synthesis loads the CDK and runs the bundler.
describe("the stack", { timeout: 120_000 }, () => {
  let made: Synthesized | undefined;
  const synthesized = (): Synthesized => {
    made ??= synthesizeExample((app) => new ResponsesToS3(app, "Test", { claimCheckBucketName: "answers" }));
    return made;
  };

  it("stores three types of events, and may write there and read claim checks alone", () => {
    const { template } = synthesized();
    template.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: { "detail-type": ["response.completed", "response.updated", "response.deleted"] },
      Targets: [Match.objectLike({ DeadLetterConfig: Match.anyValue() })],
    });
    const statements = Object.values(template.findResources("AWS::IAM::Policy")).flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement as { Action: unknown; Resource: unknown }[],
    );
    const actions = statements.flatMap(({ Action }) => Action as string[]).filter((action) => action.startsWith("s3:"));
    expect(actions.sort()).toEqual([
      "s3:Abort*",
      "s3:GetObject",
      "s3:PutObject",
      "s3:PutObjectLegalHold",
      "s3:PutObjectRetention",
      "s3:PutObjectTagging",
      "s3:PutObjectVersionTagging",
    ]);
    const read = statements.find(({ Action }) => Action === "s3:GetObject")?.Resource;
    expect(JSON.stringify(read)).toContain(":s3:::answers/answers/*");
  });

  it("tries an event five times, and hides it for six times as long as the function may take", () => {
    synthesized().template.hasResourceProperties("AWS::SQS::Queue", {
      VisibilityTimeout: 360,
      RedrivePolicy: { maxReceiveCount: 5 },
    });
  });

  it("has a column for each field of a row, and the day as a partition that nobody has to add", () => {
    const [table] = Object.values(synthesized().template.findResources("AWS::Glue::Table"));
    const { StorageDescriptor, PartitionKeys, Parameters } = table?.Properties.TableInput ?? {};
    const columns = (StorageDescriptor.Columns as { Name: string }[]).map(({ Name }) => Name);
    expect(columns).toEqual(Object.keys(event(1, 1, 0)));
    expect(PartitionKeys).toEqual([{ Name: "day", Type: "string" }]);
    expect(Parameters["projection.enabled"]).toBe("true");
    expect(JSON.stringify(Parameters["storage.location.template"])).toMatch(/events\/day=\$\{day\}/);
  });

  it("keeps the bucket when it is removed", () => {
    synthesized().template.hasResource("AWS::S3::Bucket", { DeletionPolicy: "Retain" });
  });

  it("has nothing that cdk-nag finds, but for what is meant so", () => {
    expect(synthesized().findings).toEqual([
      // What `grantPut` lets a writer do, below one prefix.
      "AwsSolutions-IAM5[Action::s3:Abort*]",
      expect.stringMatching(/^AwsSolutions-IAM5\[Resource::<Bucket\w+\.Arn>\/events\/\*\]$/),
      // Claim checks are known by the form of their keys.
      "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::answers/answers/*]",
      // Only the function writes to the bucket, and each object is named by an event.
      "AwsSolutions-S1",
    ]);
  });
});
