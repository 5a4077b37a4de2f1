import type { Transform } from "node:stream";
import { decompressor, encodingOf, TELLING_BYTES } from "./encoding.ts";

/** The switch that stops and starts the bytes of an answer, while its decompression cannot keep up. */
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

/**
 * @param hint what `Content-Encoding` says; "" for nothing
 * @param fail called once: with what `take` has thrown, or without a reason where the body cannot be decompressed
 */
export function createInflow(hint: string, take: (chunk: Buffer) => void, fail: (reason?: Error) => void): Inflow {
  /** The first bytes, until there are enough of them to tell what they are. */
  let first: Buffer | undefined = Buffer.alloc(0);
  let decoder: Transform | undefined;
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
  const begin = (bytes: Buffer): void => {
    first = undefined;
    const encoding = encodingOf(bytes, hint);
    if (encoding === "plain") return;
    decoder = decompressor[encoding]();
    decoder.on("data", pass).on("error", () => failOnce());
  };
  const forward = (bytes: Buffer, flow: Flow): void => {
    if (decoder === undefined) pass(bytes);
    else if (!decoder.write(bytes)) {
      flow.pause();
      decoder.once("drain", () => flow.resume());
    }
  };
  return {
    write(chunk, flow) {
      if (failed) return;
      if (first === undefined) return forward(chunk, flow);
      first = Buffer.concat([first, chunk]);
      if (first.length < TELLING_BYTES) return;
      const bytes = first;
      begin(bytes);
      forward(bytes, flow);
    },
    end(done) {
      if (failed) return;
      if (first !== undefined) {
        const bytes = first;
        begin(bytes);
        if (decoder === undefined) pass(bytes);
        else decoder.write(bytes);
      }
      // What was taken may have failed just now.
      if (failed) return;
      if (decoder === undefined) done();
      else decoder.once("end", done).end();
    },
    stop() {
      failed = true;
      decoder?.destroy();
    },
  };
}
