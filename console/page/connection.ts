import type { Change, Snapshot } from "../changes.ts";
import { apply, begin, heardAt, isSilent, now } from "./state.ts";

/** Milliseconds after which a connection that has gone silent is made anew: a browser itself may wait for minutes. */
const TRY_AGAIN = 3_000;

/** Listens to the server, for as long as the page is open. */
export function connect(): void {
  let source = listen();
  let madeAt = Date.now();
  setInterval(() => {
    now.value = Date.now();
    const isClosed = source.readyState === EventSource.CLOSED || isSilent.peek();
    if (!isClosed || Date.now() - madeAt < TRY_AGAIN) return;
    source.close();
    source = listen();
    madeAt = Date.now();
  }, 1_000);
}

function listen(): EventSource {
  const source = new EventSource("/feed");
  const on = <T>(name: string, take: (data: T) => void): void =>
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      heardAt.value = Date.now();
      now.value = Math.max(now.peek(), heardAt.peek());
      take(JSON.parse(data) as T);
    });
  on<Snapshot>("snapshot", begin);
  on<Change[]>("delta", apply);
  on("beat", () => undefined);
  return source;
}
