import { openTarget } from "../../../../lib/cli/target/open-target.ts";
import { createDynamoState } from "../../../../lib/state/dynamo-state.ts";
import { type Folder, ioOf } from "./command.ts";

/** Takes the lease of a survey for a minute, as somebody who works on it; gives what ends that. */
export async function holdLease({ data }: Folder, surveyId: number): Promise<() => Promise<void>> {
  const withState = async <T>(work: (state: ReturnType<typeof createDynamoState>) => Promise<T>): Promise<T> => {
    await using target = await openTarget({ data }, ioOf().io);
    return await work(createDynamoState(target.table, "main"));
  };
  const lease = await withState((state) => state.acquire(surveyId, "somebody", 60_000));
  if (lease === undefined) throw new Error("somebody else has the lease");
  return () => withState((state) => state.release(lease, lease.state));
}
