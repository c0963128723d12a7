/** Returns the pause that a `Retry-After` header asks for, in seconds or as a date, in milliseconds. */
export function readRetryAfter(headers: Headers, now = Date.now()): number | undefined {
  const header = headers.get('retry-after')?.trim()
  if (!header) return undefined
  const pause = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isFinite(pause) ? Math.max(0, Math.ceil(pause)) : undefined
}
