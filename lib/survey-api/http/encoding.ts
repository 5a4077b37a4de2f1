import { pipeline, type Transform } from "node:stream";
// As one object: an older Node lacks the names of zstd, and would end at the import before anything could say so.
import * as zlib from "node:zlib";

/** How the bytes of a body are compressed; "plain": not at all. */
type Encoding = "plain" | "gzip" | "zlib" | "zstd" | "br";

/** So many first bytes of a body tell what it is. */
const TELLING_BYTES = 16;
/** The bytes with which the formats begin by their own definitions: RFC 1952, RFC 1950 for a window of 32 KB, RFC 8878. */
const BEGINNINGS: [Encoding, number[][]][] = [
  ["gzip", [[0x1f, 0x8b, 0x08]]],
  ["zlib", [0x01, 0x5e, 0x9c, 0xda].map((flags) => [0x78, flags])],
  ["zstd", [[0x28, 0xb5, 0x2f, 0xfd]]],
];
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";
/** White space and whatever is no control character, as bytes. */
const ANY_TEXT = /^[\t\n\r\x20-\x7e\x80-\xff]*$/;
const ASCII_TEXT = /^[\t\n\r\x20-\x7e]*$/;

/**
 * The encoding of a body by its first bytes. Services and proxies send a `Content-Encoding` that does not fit, so it is only a hint, and no
 * library that goes by it can be used. Brotli has no first bytes of its own: a body with bytes that no text begins with is taken for it.
 * With that hint so is any body that does not begin as ASCII.
 */
function encodingOf(first: Buffer, hint: string): Encoding {
  for (const [encoding, beginnings] of BEGINNINGS) {
    if (beginnings.some((beginning) => beginning.every((byte, i) => first[i] === byte))) return encoding;
  }
  const text = first.toString("latin1", 0, TELLING_BYTES).replaceAll(BYTE_ORDER_MARK, "");
  const isText = /\bbr\b/i.test(hint) ? ASCII_TEXT : ANY_TEXT;
  return isText.test(text) ? "plain" : "br";
}

const decompressor: Record<Exclude<Encoding, "plain">, () => Transform> = {
  gzip: zlib.createGunzip,
  zlib: zlib.createInflate,
  zstd: zlib.createZstdDecompress,
  br: zlib.createBrotliDecompress,
};

/**
 * A body without its encoding, as it comes.
 *
 * @param hint what `Content-Encoding` says; "" for nothing
 * @param came told of the bytes of each part as it comes; what it throws is the failure
 * @param broken makes the error of a body that cannot be decompressed
 */
export async function* decoded(
  body: AsyncIterable<Buffer>,
  hint: string,
  came: (bytes: number) => void,
  broken: () => Error,
): AsyncGenerator<Buffer, void> {
  const parts = body[Symbol.asyncIterator]();
  const next = async (): Promise<Buffer | undefined> => {
    const { value, done = false } = await parts.next();
    if (!done) came(value.length);
    return done ? undefined : value;
  };
  let first = await next();
  for (let more = first; first !== undefined && more !== undefined && first.length < TELLING_BYTES; ) {
    more = await next();
    if (more !== undefined) first = Buffer.concat([first, more]);
  }
  if (first === undefined) return;
  const encoding = encodingOf(first, hint);
  if (encoding === "plain") {
    for (let part: Buffer | undefined = first; part !== undefined; part = await next()) yield part;
    return;
  }
  /** What went wrong before anything was decompressed. */
  let failure: unknown;
  const whole = async function* (): AsyncGenerator<Buffer> {
    try {
      for (let part: Buffer | undefined = first; part !== undefined; part = await next()) yield part;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    yield* pipeline(whole(), decompressor[encoding](), () => undefined) as AsyncIterable<Buffer>;
  } catch {
    throw failure ?? broken();
  }
}
