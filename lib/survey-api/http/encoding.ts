import { promisify } from "node:util";
// As one object: an older Node lacks the names of zstd, and would end at the import before anything could say so.
import * as zlib from "node:zlib";

/** How the formats begin by their own definitions, in hexadecimal: RFC 1952, RFC 1950 for a window of 32 KB, RFC 8878. */
const BEGINNINGS = { gzip: /^1f8b08/, zlib: /^78(01|5e|9c|da)/, zstd: /^28b52ffd/ };
/** So many first bytes of a body tell whether it is a text. */
const TELLING_BYTES = 16;
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";
/** White space and whatever is no control character, as bytes. */
const ANY_TEXT = /^[\t\n\r\x20-\x7e\x80-\xff]*$/;
const ASCII_TEXT = /^[\t\n\r\x20-\x7e]*$/;

/**
 * The encoding of a body by its first bytes. Services and proxies send a `Content-Encoding` that does not fit, so it is only a hint, and no
 * library that goes by it can be used. Brotli has no first bytes of its own: a body with bytes that no text begins with is taken for it.
 * With that hint so is any body that does not begin as ASCII.
 */
function encodingOf(body: Buffer, hint: string): "plain" | "gzip" | "zlib" | "zstd" | "br" {
  const first = body.toString("hex", 0, 4);
  for (const encoding of ["gzip", "zlib", "zstd"] as const) if (BEGINNINGS[encoding].test(first)) return encoding;
  const text = body.toString("latin1", 0, TELLING_BYTES).replaceAll(BYTE_ORDER_MARK, "");
  const isText = /\bbr\b/i.test(hint) ? ASCII_TEXT : ANY_TEXT;
  return isText.test(text) ? "plain" : "br";
}

type Decompress = (body: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>;

/** A body without its encoding; "too long" where it is then longer than `most` bytes. `hint`: what `Content-Encoding` says, or "". */
export async function decoded(body: Buffer, hint: string, most: number): Promise<Buffer | "too long" | "broken"> {
  const encoding = encodingOf(body, hint);
  if (encoding === "plain") return body;
  const { gunzip, inflate, zstdDecompress, brotliDecompress } = zlib;
  const by = { gzip: gunzip, zlib: inflate, zstd: zstdDecompress, br: brotliDecompress }[encoding];
  try {
    return await (promisify(by) as Decompress)(body, { maxOutputLength: most });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? "too long" : "broken";
  }
}
