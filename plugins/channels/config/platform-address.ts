/** The schema of a platform's address: a URL of whatever scheme, yet not `host:port`, which is one, too. */
export const platformAddress = { type: 'string', format: 'url', pattern: '://' } as const
