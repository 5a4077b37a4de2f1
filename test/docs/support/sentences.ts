/**
 * The sentences of a block of prose. One ends at a full stop, an exclamation or a question mark, or with the block.
 * Neither a colon nor a semicolon ends one: two thoughts in one line are hard to read, whatever joins them.
 */
export function sentencesOf(prose: string): string[] {
  return prose
    .split(/(?<=[.!?…]["”’)\]]*)\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => wordsOf(sentence) > 0);
}

/** What has a letter or a digit in it, between two spaces. */
export function wordsOf(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
