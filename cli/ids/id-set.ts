/** Event ids, a million of which take some 70 MB: each is kept as 16 characters of one byte. */
export interface IdSet {
  readonly size: number;
  add(eventId: string): void;
  has(eventId: string): boolean;
  /** Takes one out; whether it was there. */
  take(eventId: string): boolean;
  /** As ids are written. */
  ids(): IterableIterator<string>;
}

export function createIdSet(): IdSet {
  const packed = new Set<string>();
  return {
    get size() {
      return packed.size;
    },
    add: (eventId) => void packed.add(pack(eventId)),
    has: (eventId) => packed.has(pack(eventId)),
    take: (eventId) => packed.delete(pack(eventId)),
    *ids() {
      for (const one of packed) yield unpack(one);
    },
  };
}

function pack(eventId: string): string {
  return Buffer.from(eventId.replaceAll("-", ""), "hex").toString("latin1");
}

function unpack(packed: string): string {
  const hex = Buffer.from(packed, "latin1").toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
