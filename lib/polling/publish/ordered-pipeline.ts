/** How items are made ready and sent. It knows nothing of what they are. */
export interface PipelineOptions<Item, Ready> {
  /** Items between `take` and the end of their sending. */
  most: number;
  /** Makes an item ready, several at once; undefined where it is not to be sent. */
  prepare: (item: Item) => Promise<Ready | undefined>;
  /** How many of the first ones make one request, and whether these are all that it can hold. */
  batch: (ready: readonly Ready[]) => { length: number; isFull: boolean };
  /** Sends one batch. */
  send: (batch: Ready[]) => Promise<void>;
  /** Calls `work` again and again until the function it gives is called: for so long, and while another one is sent, a batch that is not full waits for items that are slow. */
  every: (work: () => void) => () => void;
}

/**
 * Prepares items side by side and sends them in batches, in the order in which they were taken as far as they are ready. The first failure ends it: nothing more is
 * begun, and what is under way comes to its end.
 */
export class OrderedPipeline<Item, Ready> {
  private readonly options: PipelineOptions<Item, Ready>;
  private readonly ready: { place: number; value: Ready }[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private taken = 0;
  private open = 0;
  private sending = 0;
  private failed: { error: unknown } | undefined;
  /** Set while anything is ready and waits. */
  private stopWaiting: (() => void) | undefined;
  /** Wakes whoever waits for room. */
  private moved = (): void => undefined;

  constructor(options: PipelineOptions<Item, Ready>) {
    this.options = options;
  }

  /** Takes items; resolves when all of them are on their way. Throws the first failure so far. */
  async take(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      while (this.open >= this.options.most && this.failed === undefined) {
        await new Promise<void>((resolve) => {
          this.moved = resolve;
        });
      }
      if (this.failed !== undefined) break;
      this.open += 1;
      this.taken += 1;
      this.goOn(this.prepare(item, this.taken));
    }
    if (this.failed !== undefined) throw this.failed.error;
  }

  /** Notes a failure from outside: nothing more is begun. */
  fail(error: unknown): void {
    this.failed ??= { error };
    this.moved();
  }

  hasFailed(): boolean {
    return this.failed !== undefined;
  }

  /** Waits until nothing is on its way any more. Throws the first thing that failed. */
  async end(): Promise<void> {
    while (this.underWay.size > 0 || this.ready.length > 0) {
      await Promise.all(this.underWay);
      this.sendFull(true);
    }
    // fault: bus-failure-swallowed
    if (this.failed !== undefined) throw this.failed.error;
  }

  private async send(batch: Ready[]): Promise<void> {
    this.sending += 1;
    await this.options.send(batch).finally(() => {
      this.sending -= 1;
    });
    this.settle(batch.length);
  }

  private async prepare(item: Item, place: number): Promise<void> {
    const value = await this.options.prepare(item);
    if (value === undefined || this.failed !== undefined) return this.settle(1);
    this.ready.push({ place, value });
    this.sendFull(false);
  }

  /** Sends what fills a request; `rest`: what does not as well. */
  private sendFull(rest: boolean): void {
    const { ready } = this;
    ready.sort((a, b) => a.place - b.place);
    while (ready.length > 0) {
      const { length, isFull } = this.options.batch(ready.map(({ value }) => value));
      if (!rest && length === ready.length && !isFull) break;
      this.goOn(this.send(ready.splice(0, length).map(({ value }) => value)));
    }
    if (ready.length === 0) {
      this.stopWaiting?.();
      this.stopWaiting = undefined;
    } else {
      // fault: hanging-detail-blocks
      this.stopWaiting ??= this.options.every(() => this.sendFull(this.sending === 0));
    }
  }

  private settle(items: number): void {
    this.open -= items;
    this.moved();
  }

  private goOn(work: Promise<void>): void {
    const one = work.catch((error: unknown) => this.fail(error)).finally(() => this.underWay.delete(one));
    this.underWay.add(one);
  }
}
