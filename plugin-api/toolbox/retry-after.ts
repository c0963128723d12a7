/** Returns the pause that a `Retry-After` header asks for, in seconds or as a date, in milliseconds. */
export function readRetryAfter(headers: Headers, now = Date.now()): number | undefined {
  const header = headers.get('retry-after')?.trim()
  if (!header) return undefined
  // Without the name of a month, other numbers would be read as dates.
  const time = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN
  const pause = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : time - now
  return Number.isFinite(pause) ? Math.max(0, Math.ceil(pause)) : undefined
}
