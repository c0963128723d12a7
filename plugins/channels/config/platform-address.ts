/** The schema of a platform's address: a URL of any scheme. The pattern excludes `host:port`, which parses as a URL. */
export const platformAddress = { type: 'string', format: 'url', pattern: '://' } as const
