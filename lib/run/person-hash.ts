import { createHmac, randomBytes } from "node:crypto";
import type { Bucket } from "../aws/bucket.ts";
import type { SourceConfig } from "../config/index.ts";
import type { PersonKey } from "../polling/index.ts";

/** Where the secret of a source's hashes lies: in the bucket, so that who may read the table alone cannot try out keys. */
const secretAt = (source: string): string => `keys/${source}.json`;

export type PersonHash = (kind: PersonKey, value: string) => string;

/** The hash of this source; it is made when it is asked for first, and the same for ever. */
export async function loadPersonHash(bucket: Pick<Bucket, "putOnce">, source: string): Promise<PersonHash> {
  const { secret } = await bucket.putOnce(secretAt(source), { secret: randomBytes(32).toString("base64url") });
  return personHash(secret);
}

/** The hash of this source, if it has one. */
export async function readPersonHash(bucket: Pick<Bucket, "get">, source: string): Promise<PersonHash | undefined> {
  const stored = (await bucket.get(secretAt(source))) as { secret: string } | undefined;
  return stored && personHash(stored.secret);
}

function personHash(secret: string): PersonHash {
  // 128 bits are enough to tell people apart.
  return (kind, value) => createHmac("sha256", secret).update(`${kind}:${value}`).digest("base64url").slice(0, 22);
}

/** Hashes the keys that a source wants its people to be found by. It is loaded before the first lease is taken: no entry is written without one. */
export function personHasher(bucket: Bucket, { name, privacy: { findBy } }: Pick<SourceConfig, "name" | "privacy">) {
  let loading: Promise<void> | undefined;
  let hash: PersonHash | undefined;
  return {
    async load(): Promise<void> {
      loading ??= loadPersonHash(bucket, name).then((loaded) => {
        hash = loaded;
      });
      // What has failed once is tried again by the next lease.
      await loading.catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    },
    hash(kind: PersonKey, value: string): string | undefined {
      if (hash === undefined) throw new TypeError("The hash of people was not loaded.");
      return findBy.includes(kind) ? hash(kind, value) : undefined;
    },
  };
}
