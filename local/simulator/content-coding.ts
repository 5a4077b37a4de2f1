import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { WireSettings } from "./wire-settings.ts";

/** The bytes of a body, and what the header Content-Encoding says of them; null: it is left out. */
export function coded(
  body: string,
  { compress, contentEncoding }: Pick<WireSettings, "compress" | "contentEncoding">,
  accepted: string,
): { bytes: Buffer; encoding: string | null } {
  const coding = codingFor(compress, accepted);
  const plain = Buffer.from(body);
  return { bytes: coding === null ? plain : compressors[coding](plain), encoding: contentEncoding ?? coding };
}

type Coding = Exclude<WireSettings["compress"], boolean>;

function codingFor(compress: WireSettings["compress"], accepted: string): Coding | null {
  if (compress === false) return null;
  if (compress === true || compress === "gzip") return /\bgzip\b/.test(accepted) ? "gzip" : null;
  return compress;
}

// Brotli at its default takes a tenth of a second for a page.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const compressors: Record<Coding, (plain: Buffer) => Buffer> = {
  gzip: (plain) => gzipSync(plain),
  br: (plain) => brotliCompressSync(plain, brotliOptions),
  deflate: (plain) => deflateSync(plain),
  zstd: (plain) => zstdCompressSync(plain),
};
