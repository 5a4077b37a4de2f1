import type { Transform } from "node:stream";
import { promisify } from "node:util";
// As one object: an older Node lacks the names of zstd, and would end at the import before anything could say so.
import * as zlib from "node:zlib";

/** How the bytes of a body are compressed; "plain": not at all. */
export type Encoding = "plain" | "gzip" | "zlib" | "zstd" | "br";

/** So many first bytes of a body tell what it is. */
export const TELLING_BYTES = 16;

/** The bytes with which the formats begin by their own definitions: RFC 1952, RFC 1950 for a window of 32 KB, RFC 8878. */
const BEGINNINGS: [Encoding, number[][]][] = [
  ["gzip", [[0x1f, 0x8b, 0x08]]],
  ["zlib", [0x01, 0x5e, 0x9c, 0xda].map((flags) => [0x78, flags])],
  ["zstd", [[0x28, 0xb5, 0x2f, 0xfd]]],
];
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

/**
 * The encoding of a body by its first bytes. Services and proxies send a `Content-Encoding` that does not fit, so it is only a hint. Brotli
 * has no first bytes of its own: a body with bytes that no text begins with is taken for it. With that hint so is any body that does not
 * begin as ASCII.
 *
 * @param hint value of `Content-Encoding`; "" for nothing
 */
export function encodingOf(first: Buffer, hint: string): Encoding {
  for (const [encoding, beginnings] of BEGINNINGS) {
    if (beginnings.some((beginning) => beginsWith(first, beginning))) return encoding;
  }
  const text = first.toString("latin1", 0, TELLING_BYTES).replaceAll(BYTE_ORDER_MARK, "");
  const isText = /\bbr\b/i.test(hint) ? ASCII_TEXT : ANY_TEXT;
  return isText.test(text) ? "plain" : "br";
}

function beginsWith(bytes: Buffer, beginning: readonly number[]): boolean {
  return beginning.every((byte, i) => bytes[i] === byte);
}

/** White space and whatever is no control character, as bytes. */
const ANY_TEXT = /^[\t\n\r\x20-\x7e\x80-\xff]*$/;
const ASCII_TEXT = /^[\t\n\r\x20-\x7e]*$/;

type Compressed = Exclude<Encoding, "plain">;

/** Decompresses a whole body. Rejects with the code ERR_BUFFER_TOO_LARGE where it becomes longer than `maxOutputLength`. */
export const decompress: Record<Compressed, (data: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(zlib.gunzip),
  zlib: promisify(zlib.inflate),
  zstd: promisify(zlib.zstdDecompress),
  br: promisify(zlib.brotliDecompress),
};

/** The same of a body as it comes. */
export const decompressor: Record<Compressed, () => Transform> = {
  gzip: zlib.createGunzip,
  zlib: zlib.createInflate,
  zstd: zlib.createZstdDecompress,
  br: zlib.createBrotliDecompress,
};
