/** The URL of a server on this address; an IPv6 one goes into brackets. */
export const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
