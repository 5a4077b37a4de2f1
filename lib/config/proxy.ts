/** The mistake in the URL of a proxy; undefined when there is none. The URL itself is never repeated: it may hold a password. */
export function proxyProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return SHAPE;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol)) return SHAPE;
  // It would be readable by everyone who may look at the function.
  if (username !== "" || password !== "") {
    return "must not hold a user name or password; let the proxy know the functions by their address instead (vpc)";
  }
  return pathname !== "/" || search !== "" || hash !== "" ? SHAPE : undefined;
}

const SHAPE = "must be a URL such as http://proxy.example.com:3128";
