import { createHmac, randomBytes } from "node:crypto";
import type { Bucket } from "../aws/bucket.ts";
import type { SourceConfig } from "../config/index.ts";
import type { PersonKey } from "../polling/index.ts";

/** Where the secret of a source's hashes lies: in the bucket, so that who may read the table alone cannot try out keys. */
const secretAt = (source: string): string => `keys/${source}.json`;

export type PersonHash = (kind: PersonKey, value: string) => string;

export async function readPersonHash(bucket: Pick<Bucket, "get">, source: string): Promise<PersonHash | undefined> {
  const stored = (await bucket.get(secretAt(source))) as { secret: string } | undefined;
  return stored && personHash(stored.secret);
}

function personHash(secret: string): PersonHash {
  // 128 bits are enough to tell people apart.
  return (kind, value) => createHmac("sha256", secret).update(`${kind}:${value}`).digest("base64url").slice(0, 22);
}

/**
 * Hashes the keys that a source wants its people to be found by. Its secret is made when it is asked for first, and the same for ever. It is
 * loaded before the first lease is taken: no entry is written without it.
 */
export function personHasher(
  bucket: Pick<Bucket, "putOnce">,
  { name, privacy: { findBy } }: { name: string; privacy: Pick<SourceConfig["privacy"], "findBy"> },
) {
  let hash: PersonHash | undefined;
  return {
    async load(): Promise<void> {
      if (hash !== undefined) return;
      const { secret } = await bucket.putOnce(secretAt(name), { secret: randomBytes(32).toString("base64url") });
      hash = personHash(secret);
    },
    hashes(kind: PersonKey): ((value: string) => string) | undefined {
      if (!findBy.includes(kind)) return undefined;
      const loaded = hash;
      if (loaded === undefined) throw new TypeError("The secret of the hashes was not loaded.");
      return (value) => loaded(kind, value);
    },
  };
}
