/** How bodies go over the wire. */
export interface WireSettings {
  /**
   * `true` and `gzip` compress bodies for clients that accept gzip. The others compress likewise, whatever the client
   * accepts.
   */
  compress: false | true | "gzip" | "br" | "deflate" | "zstd";
  /** The value of the header Content-Encoding, whatever the body is; null: the truth. */
  contentEncoding: string | null;
  /** The bytes before each body of JSON: one byte order mark, two, or a blank line and then one. */
  bodyPrefix: "none" | "bom" | "twoBoms" | "lineThenBom";
}
