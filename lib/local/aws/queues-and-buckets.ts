import type { RequestListener } from "node:http";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { type BuildAppOptions, buildApp } from "fauxqs";
import { ACCOUNT, REGION } from "./aws-json.ts";

export type QueuesAndBuckets = Awaited<ReturnType<typeof openQueuesAndBuckets>>;

type Stores = NonNullable<BuildAppOptions["stores"]>;
type Persistence = NonNullable<Stores["sqsStore"]["persistence"]>;

interface Internals {
  PersistenceManager: new (dataDir: string) => Persistence;
  SqsStore: new () => Stores["sqsStore"];
  SnsStore: new () => Stores["snsStore"];
  S3Store: new () => Stores["s3Store"];
}

/**
 * SQS and S3 (fauxqs) on disk.
 *
 * It is put together from fauxqs's parts. Its own `startFauxqs` listens on every interface of the machine, and hands out queue URLs under a
 * host name that does not resolve everywhere.
 *
 * @param sqsEndpoint address that the queue URLs are to start with: it changes with every start
 */
export async function openQueuesAndBuckets(dataDir: string, sqsEndpoint: string) {
  const { PersistenceManager, SqsStore, SnsStore, S3Store } = await loadInternals();
  const persistence = new PersistenceManager(dataDir);
  const { db: database } = persistence as unknown as { db: DatabaseSync };
  // What is written outlives this process without being flushed to the disk each time, which costs a millisecond.
  database.exec("PRAGMA synchronous = NORMAL");
  // Stored queue URLs hold the port of the start that created them.
  database.prepare("UPDATE sqs_queues SET url = ? || '/' || ? || '/' || name").run(sqsEndpoint, ACCOUNT);
  // fauxqs 2.4.1 clears the receive count here, which its own schema forbids: ChangeMessageVisibility to 0 then fails
  // and takes the message out of the queue until the next start.
  const makeReady = database.prepare(
    "UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?",
  );
  persistence.updateMessageReady = (messageId) => {
    makeReady.run(messageId);
  };
  const sqsStore = new SqsStore();
  const snsStore = new SnsStore();
  const s3Store = new S3Store();
  // Without a host, queue URLs are built from the Host header of the request that creates the queue.
  sqsStore.host = "";
  sqsStore.region = REGION;
  persistence.load(sqsStore, snsStore, s3Store);
  sqsStore.persistence = persistence;
  snsStore.persistence = persistence;
  s3Store.persistence = persistence;
  for (const queue of sqsStore.allQueues()) queue.persistence = persistence;

  const app = buildApp({ logger: false, defaultRegion: REGION, stores: { sqsStore, snsStore, s3Store } });
  await app.ready();
  return {
    /** Answers SQS and S3 requests alike. */
    handle: ((request, response) => app.routing(request, response)) satisfies RequestListener,
    /** A message that the queue refuses, or to a queue that is not there, is lost: as with a target that has no dead-letter queue. */
    async send(queueArn: string, body: string): Promise<void> {
      const name = queueArn.slice(queueArn.lastIndexOf(":") + 1);
      const answer = await app.inject({
        method: "POST",
        url: "/",
        headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": "AmazonSQS.SendMessage" },
        payload: JSON.stringify({
          QueueUrl: `${sqsEndpoint}/${ACCOUNT}/${name}`,
          MessageBody: withoutPairs(body),
        }),
      });
      if (answer.statusCode >= 500) throw new Error(`the queue ${name} failed: ${answer.body}`);
    },
    async close() {
      await app.close();
      persistence.close();
    },
  };
}

async function loadInternals(): Promise<Internals> {
  const manifest = findPackageJSON("fauxqs", import.meta.url);
  if (manifest === undefined) throw new TypeError("The package fauxqs is not installed: run npm ci.");
  const load = (file: string) => import(pathToFileURL(join(dirname(manifest), "dist", file)).href);
  const [persistence, sqs, sns, s3] = await Promise.all(
    ["persistence.js", "sqs/sqsStore.js", "sns/snsStore.js", "s3/s3Store.js"].map(load),
  );
  return { ...persistence, ...sqs, ...sns, ...s3 } as Internals;
}

/**
 * SQS takes characters beyond U+FFFF, such as 👍, and the queues here do not. In JSON they can be written as two escapes, which say the same.
 */
function withoutPairs(body: string): string {
  const escaped = (half: string): string => `\\u${half.charCodeAt(0).toString(16)}`;
  return body.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, (one) => one.split("").map(escaped).join(""));
}
