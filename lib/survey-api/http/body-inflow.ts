import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** What stops and starts the bytes of an answer, while its decompression cannot keep up. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** The body of an answer on its way to whoever takes it as it comes. After a failure nothing more is taken. */
export interface Inflow {
  write(chunk: Buffer, flow: Flow): void;
  /** The body is whole: `done` is called once all of it was taken. */
  end(done: () => void): void;
  stop(): void;
}

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
};

/**
 * @param encoding as `Content-Encoding` names it; "" for none
 * @param fail called once: with what `take` has thrown, or without a reason where the body is not what its encoding says
 */
export function createInflow(encoding: string, take: (chunk: Buffer) => void, fail: (reason?: Error) => void): Inflow {
  let failed = false;
  const failOnce = (reason?: Error): void => {
    if (failed) return;
    failed = true;
    fail(reason);
  };
  const pass = (chunk: Buffer): void => {
    if (failed) return;
    try {
      take(chunk);
    } catch (error) {
      failOnce(error as Error);
    }
  };
  if (encoding === "") {
    return {
      write: pass,
      end(done) {
        if (!failed) done();
      },
      stop() {
        failed = true;
      },
    };
  }
  const decoder = decoders[encoding]?.();
  decoder?.on("data", pass).on("error", () => failOnce());
  let isEmpty = true;
  return {
    write(chunk, flow) {
      isEmpty = false;
      if (failed) return;
      if (decoder === undefined) failOnce();
      else if (!decoder.write(chunk)) {
        flow.pause();
        decoder.once("drain", () => flow.resume());
      }
    },
    end(done) {
      // An empty body is one in any encoding.
      if (isEmpty) done();
      else if (!failed) decoder?.once("end", done).end();
    },
    stop() {
      failed = true;
      decoder?.destroy();
    },
  };
}
