import { DatabaseSync } from "node:sqlite";

/** One event on its way to one target. */
export interface Delivery {
  id: string;
  queueArn: string;
  body: string;
}

export interface Journal {
  /** Deliveries that an earlier process accepted and did not finish, oldest first. */
  pending(): Delivery[];
  /** On return, the deliveries survive the end of the process. */
  add(deliveries: readonly Delivery[]): void;
  done(id: string): void;
  close(): void;
}

/** Deliveries in a SQLite file. It outlives a kill -9, since the system has the data then, and not a power cut. */
export function openJournal(path: string): Journal {
  const file = new DatabaseSync(path);
  file.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS deliveries (place INTEGER PRIMARY KEY, id TEXT UNIQUE, queueArn TEXT, body TEXT)`);
  const pending = file.prepare("SELECT id, queueArn, body FROM deliveries ORDER BY place");
  const add = file.prepare("INSERT INTO deliveries (id, queueArn, body) VALUES (?, ?, ?)");
  const done = file.prepare("DELETE FROM deliveries WHERE id = ?");
  return {
    pending: () => pending.all() as unknown as Delivery[],
    add(deliveries) {
      for (const { id, queueArn, body } of deliveries) add.run(id, queueArn, body);
    },
    done: (id) => void done.run(id),
    close: () => file.close(),
  };
}
