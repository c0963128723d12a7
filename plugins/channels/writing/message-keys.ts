import { createHash } from 'node:crypto'

/** The key of a reply's message by its index: 26 letters and digits, the same whenever and wherever it is made. */
export function messageKey(key: string, index: number): string {
  const hash = createHash('sha256').update(`${key}/${index}`).digest('hex')
  return BigInt(`0x${hash}`).toString(36).padStart(26, '0').slice(-26)
}
